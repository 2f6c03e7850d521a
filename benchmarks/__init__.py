"""Ours, librdkafka's mock cluster and a real Apache Kafka, side by side in one run.

`python -m benchmarks` starts all three, measures them in turn, round by round, with the same client
and the same settings, and prints one table. Read it by its ratios, never by its absolute figures:
machines differ, and so does one machine from hour to hour, but systems measured within a minute of
each other on the same machine have the same bad luck.

* Each cell is the median over the rounds, with the smallest and largest in brackets.
* `ours/…` is our median divided by theirs. The mark says who is better off: `+` we are, `-` they
  are; what is better when smaller is marked `v`, what is better when larger `^`.
* A first round of everything is thrown away: it warms the JVM up.
* A dash means that the system cannot do it. librdkafka's mock never wakes a parked fetch (it
  answers at max_wait), takes only a few new connections a second, and keeps 5 MB per partition: so
  it has no wake-up, no crowd of parked fetches, and nothing to consume.
* Durations are what the client sees, its own share included, which is the same for all.
* Client and broker share the machine. On few cores a throughput also says how much the client
  left over, hence the `broker CPU` rows beside them.

Every benchmark is one file with a `BENCHMARK` in it; `--only NAME` runs one, `--quick` runs few and
short rounds to see that all still works.
"""
