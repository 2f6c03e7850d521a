"""Compares this broker, Apache Kafka, franz-go's kfake and librdkafka's mock cluster in one run.

`python -m benchmarks` starts all four, measures them alternately, round by round, with the same
client and the same settings, and prints one table. Compare ratios, not absolute figures: machines
differ, and the speed of one machine varies, but systems measured within a minute of each other on
the same machine are affected alike.

* Each cell is the median over the rounds, with the minimum and maximum in brackets.
* `ours/…` is our median divided by theirs. `+` means that ours is better, `-` that theirs is.
  Metrics that are better when smaller are marked `v`, when larger `^`.
* The first round is discarded: it warms up the JVM.
* A dash means that the system does not support it. kfake has no followers that fetch, and keeps its
  records in memory. librdkafka's mock never wakes a parked fetch (it responds at max_wait), accepts
  only a few new connections a second, and keeps 5 MB per partition. Therefore it has no figures for
  wake-ups, parked fetches and consumption.
* Durations are measured at the client and include its own work, which is the same for all.
* Client and broker share the machine. On few cores the throughput also depends on the processor
  time of the client, hence the `broker CPU` rows: the processor time of all processes of the
  broker, for a GB or a request. It varies less than durations.

Every benchmark is one file with a `BENCHMARK` in it; `--only NAME` runs one, `--quick` runs one
short round of each.
"""
