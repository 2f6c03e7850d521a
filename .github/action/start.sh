#!/usr/bin/env bash
# Starts the broker of the GitHub Action, waits until it is ready, and writes the outputs of the step.
# If the start fails, the step fails with the broker's own message.
set -euo pipefail

ready=$RUNNER_TEMP/antechamber.json
log=$RUNNER_TEMP/antechamber.log
words=(--brokers "$BROKERS" --port "$PORT" --admin-port 0 --ready-file "$ready")
for topic in $TOPICS; do words+=(--topic "$topic"); done

rm -f "$ready"
# OPTIONS is split into words on purpose.
# shellcheck disable=SC2086
nohup antechamber serve "${words[@]}" $OPTIONS >"$log" 2>&1 </dev/null &
until [ -e "$ready" ]; do
    kill -0 $! 2>/dev/null || { cat "$log" >&2; exit 1; }
    sleep 0.1
done

for name in bootstrap admin pid; do
    python -c 'import json, sys; print(f"{sys.argv[2]}={json.load(open(sys.argv[1]))[sys.argv[2]]}")' \
        "$ready" $name | tee -a "$GITHUB_OUTPUT"
done
