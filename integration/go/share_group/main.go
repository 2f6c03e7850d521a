// Reads a topic of ten records with a share group, in three steps: BOOTSTRAP TOPIC GROUP.
//
// Prints the records of each step as OFFSET#DELIVERY_COUNT, and the results of acknowledgements.
package main

import (
	"context"
	"fmt"
	"os"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const (
	records     = 10
	within      = 60 * time.Second
	stillness   = 2 * time.Second
	groupKind   = kmsg.ConfigResourceTypeGroupConfig
	offsetReset = "share.auto.offset.reset"
)

// member is a client of the share group, and the results of its acknowledgements.
type member struct {
	client *kgo.Client
	mutex  sync.Mutex
	failed []string
}

func main() {
	bootstrap, topic, group := os.Args[1], os.Args[2], os.Args[3]
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	prepare(ctx, bootstrap, topic, group)

	first := join(bootstrap, topic, group)
	fmt.Println("first:", first.acknowledge(ctx, records, func(record *kgo.Record) kgo.AckStatus {
		switch record.Offset {
		case 1, 2:
			return kgo.AckRelease
		case 3:
			return kgo.AckReject
		default:
			return kgo.AckAccept
		}
	}))
	fmt.Println("renewed:", first.acknowledge(ctx, 2, func(*kgo.Record) kgo.AckStatus {
		return kgo.AckRenew
	}))
	first.client.Close() // which releases what is renewed

	second := join(bootstrap, topic, group)
	fmt.Println("released:", second.acknowledge(ctx, 2, func(*kgo.Record) kgo.AckStatus {
		return kgo.AckAccept
	}))
	fmt.Println("left:", len(second.poll(stillness)))
	second.client.Close()
	fmt.Println("failed:", append(first.failed, second.failed...))
}

// prepare makes the group begin with the first record, and produces the records.
func prepare(ctx context.Context, bootstrap, topic, group string) {
	client := must(kgo.NewClient(kgo.SeedBrokers(bootstrap), kgo.AllowAutoTopicCreation()))
	defer client.Close()
	value := "earliest"
	config := kmsg.NewIncrementalAlterConfigsRequestResourceConfig()
	config.Name, config.Value = offsetReset, &value
	resource := kmsg.NewIncrementalAlterConfigsRequestResource()
	resource.ResourceType, resource.ResourceName = groupKind, group
	resource.Configs = append(resource.Configs, config)
	request := kmsg.NewPtrIncrementalAlterConfigsRequest()
	request.Resources = append(request.Resources, resource)
	response := must(request.RequestWith(ctx, client))
	if code := response.Resources[0].ErrorCode; code != 0 {
		panic(code)
	}
	for i := 0; i < records; i++ {
		record := &kgo.Record{Topic: topic, Value: []byte(fmt.Sprint(i))}
		if err := client.ProduceSync(ctx, record).FirstErr(); err != nil {
			panic(err)
		}
	}
}

func join(bootstrap, topic, group string) *member {
	joined := &member{}
	joined.client = must(kgo.NewClient(
		kgo.SeedBrokers(bootstrap),
		kgo.ConsumeTopics(topic),
		kgo.ShareGroup(group),
		kgo.ShareAckCallback(func(_ *kgo.Client, results kgo.ShareAckResults) {
			joined.mutex.Lock()
			defer joined.mutex.Unlock()
			if err := results.Error(); err != nil {
				joined.failed = append(joined.failed, err.Error())
			}
		}),
	))
	return joined
}

// acknowledge polls until there are count records, and acknowledges each of them.
func (m *member) acknowledge(
	ctx context.Context, count int, status func(*kgo.Record) kgo.AckStatus,
) string {
	var seen []string
	for len(seen) < count && ctx.Err() == nil {
		for _, record := range m.poll(time.Second) {
			seen = append(seen, fmt.Sprintf("%d#%d", record.Offset, record.DeliveryCount()))
			record.Ack(status(record))
		}
		if err := m.client.FlushAcks(ctx); err != nil {
			panic(err)
		}
	}
	sort.Strings(seen)
	return strings.Join(seen, " ")
}

// poll returns the records that arrive within a time, or as soon as there are some.
func (m *member) poll(within time.Duration) []*kgo.Record {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	return m.client.PollFetches(ctx).Records()
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
