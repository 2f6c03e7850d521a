// A consumer waits for a record; the record is produced when the broker reports the wait.
package main

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/testcontainers/testcontainers-go"
	"github.com/twmb/franz-go/pkg/kgo"

	"example/broker"
)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	kafka, err := broker.Run(ctx, "broker", []string{"--topic", "orders"})
	defer testcontainers.TerminateContainer(kafka.Container)
	if err != nil {
		return err
	}
	client, err := kgo.NewClient(
		kgo.SeedBrokers(kafka.Bootstrap),
		kgo.ConsumeTopics("orders"),
		kgo.FetchMaxWait(10*time.Second),
	)
	if err != nil {
		return err
	}
	defer client.Close()
	if err := kafka.WaitParked(ctx, "Fetch", "orders"); err != nil {
		return err
	}
	record := &kgo.Record{Topic: "orders", Value: []byte("one")}
	if err := client.ProduceSync(ctx, record).FirstErr(); err != nil {
		return err
	}
	fetches := client.PollRecords(ctx, 1)
	if err := fetches.Err(); err != nil {
		return err
	}
	fmt.Printf("consumed: %s\n", fetches.Records()[0].Value)
	return nil
}
