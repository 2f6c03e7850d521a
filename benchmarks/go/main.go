// Serves kfake, franz-go's fake Kafka cluster, with one broker: prints its address.
package main

import (
	"fmt"

	"github.com/twmb/franz-go/pkg/kfake"
)

func main() {
	cluster, err := kfake.NewCluster(
		kfake.NumBrokers(1),
		kfake.AllowAutoTopicCreation(),
		kfake.DefaultNumPartitions(1),
		// Kafka's default, and ours; kfake's is less.
		kfake.BrokerConfigs(map[string]string{"group.max.session.timeout.ms": "1800000"}),
	)
	if err != nil {
		panic(err)
	}
	fmt.Println(cluster.ListenAddrs()[0])
	select {}
}
