#!/usr/bin/env bash
# Formats the log directory if necessary, and runs Kafka with the properties of the environment:
# KAFKA_A_B__C=value is the property a.b_c=value, as in the official image.
set -euo pipefail

properties=/tmp/server.properties
for variable in "${!KAFKA_@}"; do
    [[ $variable == *_OPTS ]] && continue
    key=${variable#KAFKA_}
    key=${key//__/+} # no variable has a plus sign
    key=${key//_/.}
    key=${key//+/_}
    echo "${key,,}=${!variable}"
done >"$properties"
grep -q '^log\.dirs=' "$properties" || echo log.dirs=/tmp/kraft-combined-logs >>"$properties"

# The first compiler starts fastest, which suits a server that runs for the time of a test.
flags=(-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto -cp '/opt/kafka/libs/*')
java "${flags[@]}" kafka.tools.StorageTool format --ignore-formatted \
    --cluster-id "${CLUSTER_ID:-QW50ZWNoYW1iZXJMb2NhbA}" --config "$properties"
# shellcheck disable=SC2086 # the variables have several words
exec java ${KAFKA_HEAP_OPTS:--Xmx1G} ${KAFKA_OPTS:-} \
    -Dlog4j2.configurationFile=/opt/kafka/log4j2.properties "${flags[@]}" kafka.Kafka "$properties"
