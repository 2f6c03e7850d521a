// What a consumer does when its session ends, and a producer when a leader refuses its records.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"example/broker"
)

var (
	addresses = cmp.Or(os.Getenv("BOOTSTRAP_SERVERS"), "127.0.0.1:9092")
	seed      = kgo.SeedBrokers(strings.Split(addresses, ",")...)
	kafka     = broker.Broker{Admin: cmp.Or(os.Getenv("ANTECHAMBER_ADMIN"), "http://127.0.0.1:9644")}
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	for _, step := range []func(context.Context) error{
		aRefusedProduceIsRetried,
		aLostResponseIsRetriedAndTheRecordIsStoredOnce,
		aProduceTimesOutWithoutWaitingForIt,
		aSessionEndsWithoutWaitingForIt,
		aRebalanceNeedsNoTime,
	} {
		if err := step(ctx); err != nil {
			log.Fatal(err)
		}
	}
}

// The leader refuses the first request, and the client repeats it.
func aRefusedProduceIsRetried(ctx context.Context) error {
	rule, err := kafka.AddFault(ctx, `{
		"match": {"api": "Produce", "topic": "orders"}, "times": 1,
		"action": {"type": "error", "error": "NOT_LEADER_OR_FOLLOWER", "when": "before"}}`)
	if err != nil {
		return err
	}
	client, err := kgo.NewClient(seed)
	if err != nil {
		return err
	}
	defer client.Close()
	record := &kgo.Record{Topic: "orders", Value: []byte("one")}
	if err := client.ProduceSync(ctx, record).FirstErr(); err != nil {
		return err
	}
	if record.Offset != 0 {
		return fmt.Errorf("the record has offset %d", record.Offset)
	}
	if err := kafka.Wait(ctx, fmt.Sprintf("for=fault_fired&rule=%d", rule)); err != nil {
		return err
	}
	fmt.Println("passed: a refused produce is retried")
	return nil
}

// The producer sends the batch again, and the broker recognizes it.
func aLostResponseIsRetriedAndTheRecordIsStoredOnce(ctx context.Context) error {
	rule, err := kafka.AddFault(ctx, `{
		"match": {"api": "Produce", "topic": "payments"}, "times": 1,
		"action": {"type": "close", "when": "after"}}`)
	if err != nil {
		return err
	}
	client, err := kgo.NewClient(seed)
	if err != nil {
		return err
	}
	defer client.Close()
	for offset := range int64(2) {
		record := &kgo.Record{Topic: "payments", Value: []byte("one")}
		if err := client.ProduceSync(ctx, record).FirstErr(); err != nil {
			return err
		}
		if record.Offset != offset {
			return fmt.Errorf("record %d has offset %d", offset, record.Offset)
		}
	}
	if err := kafka.Wait(ctx, fmt.Sprintf("for=fault_fired&rule=%d", rule)); err != nil {
		return err
	}
	fmt.Println("passed: a lost response is retried, and the record is stored once")
	return nil
}

// The follower does not fetch, and the clock moves to the timeout of the request. The record fails,
// because the producer has no retries.
func aProduceTimesOutWithoutWaitingForIt(ctx context.Context) error {
	client, err := kgo.NewClient(
		seed,
		kgo.ProduceRequestTimeout(20*time.Second),
		kgo.DisableIdempotentWrite(),
		kgo.RecordRetries(0),
	)
	if err != nil {
		return err
	}
	defer client.Close()
	changes := []string{"clock/freeze", "nodes/1/pause", "nodes/2/pause"}
	for _, change := range changes {
		if err := kafka.Change(ctx, change); err != nil {
			return err
		}
	}
	defer func() {
		for _, change := range []string{"nodes/1/resume", "nodes/2/resume", "clock/run"} {
			kafka.Change(context.Background(), change)
		}
	}()
	failed := make(chan error, 1)
	client.Produce(ctx, &kgo.Record{Topic: "payments", Value: []byte("late")},
		func(_ *kgo.Record, err error) { failed <- err })
	if err := kafka.Wait(ctx, "for=parked&api=Produce&topic=payments"); err != nil {
		return err
	}
	if err := kafka.Change(ctx, "clock/advance?to=parked&api=Produce"); err != nil {
		return err
	}
	if err := <-failed; !errors.Is(err, kgo.ErrRecordRetries) {
		return fmt.Errorf("the produce ends with %v", err)
	}
	fmt.Println("passed: a produce times out without waiting for it")
	return nil
}

// The session has 45 seconds. The next heartbeat is refused, and the member loses its partitions.
func aSessionEndsWithoutWaitingForIt(ctx context.Context) error {
	lost := make(chan struct{})
	client, err := member("billing", 5*time.Second, func() { close(lost) })
	if err != nil {
		return err
	}
	defer client.Close()
	if err := kafka.Wait(ctx, "for=group_stable&group=billing"); err != nil {
		return err
	}
	mark, err := kafka.Mark(ctx)
	if err != nil {
		return err
	}
	// A heartbeat during the advance would begin the session again; the next one is 5 seconds away.
	if err := kafka.Wait(ctx, "for=requests&api=Heartbeat&since="+mark); err != nil {
		return err
	}
	if err := kafka.Change(ctx, "clock/advance?ms=45000"); err != nil {
		return err
	}
	select {
	case <-lost:
	case <-ctx.Done():
		return errors.New("the member has not lost its partitions")
	}
	fmt.Println("passed: a session ends without waiting for it")
	return nil
}

// Two members share the partitions while the clock is frozen.
func aRebalanceNeedsNoTime(ctx context.Context) error {
	if err := kafka.Change(ctx, "clock/freeze"); err != nil {
		return err
	}
	defer kafka.Change(context.Background(), "clock/run")
	for range 2 {
		client, err := member("shipping", 100*time.Millisecond, func() {})
		if err != nil {
			return err
		}
		defer client.Close()
	}
	if err := kafka.Wait(ctx, "for=assigned&group=shipping&members=2"); err != nil {
		return err
	}
	fmt.Println("passed: a rebalance needs no time")
	return nil
}

func member(group string, heartbeats time.Duration, lost func()) (*kgo.Client, error) {
	return kgo.NewClient(
		seed,
		kgo.ConsumerGroup(group),
		kgo.ConsumeTopics("deliveries"),
		kgo.HeartbeatInterval(heartbeats),
		kgo.OnPartitionsLost(func(context.Context, *kgo.Client, map[string][]int32) { lost() }),
	)
}
