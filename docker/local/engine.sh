#!/usr/bin/env bash
# A Docker engine and Compose for tests of containers, on a Debian machine that has none.
#
#   docker/local/engine.sh start     install and start an engine, unless one responds
#   docker/local/engine.sh started   whether `start` has started an engine that runs
#   docker/local/engine.sh stop      stop the engine that `start` started; its images are kept
#
# `start` needs root. If it fails, its last line on stderr is the reason. The files of the engine are
# in antechamber/engine under XDG_CACHE_HOME.
set -euo pipefail

folder=${XDG_CACHE_HOME:-$HOME/.cache}/antechamber/engine
pid_file=$folder/pid # written at once, so that `stop` ends also an engine that is not ready
START_WITHIN_S=60
STOP_WITHIN_S=60

responds() { timeout 20 docker info >/dev/null 2>&1; }

fail() {
    echo "$*" >&2
    exit 1
}

install_engine() {
    command -v dockerd >/dev/null && command -v iptables >/dev/null &&
        command -v docker-compose >/dev/null && return
    command -v apt-get >/dev/null || fail "there is no dockerd, and no apt-get to install it"
    echo "installing a Docker engine" >&2
    { apt-get update -qq &&
        DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends \
            -o DPkg::Options::=--force-unsafe-io docker.io docker-compose iptables; } \
        >"$folder/install.log" 2>&1 || fail "apt-get cannot install docker.io: see $folder/install.log"
}

start() {
    responds && return # also the engine of another user, which `stop` does not stop
    ((EUID == 0)) || fail "no Docker engine responds, and only root can start one"
    mkdir -p "$folder"
    install_engine
    responds && return # the package has started it as a service
    setsid dockerd --data-root "$folder/data" --exec-root "$folder/run" \
        --pidfile "$folder/dockerd.pid" >"$folder/dockerd.log" 2>&1 </dev/null &
    local engine=$! deadline=$((SECONDS + START_WITHIN_S))
    echo "$engine" >"$pid_file"
    until responds; do
        kill -0 "$engine" 2>/dev/null ||
            fail "dockerd has ended: $(grep -v level=info "$folder/dockerd.log" | tail -n 1)"
        if ((SECONDS > deadline)); then
            kill "$engine"
            fail "dockerd does not respond within $START_WITHIN_S s: see $folder/dockerd.log"
        fi
        sleep 0.2
    done
}

started() {
    local engine
    engine=$(cat "$pid_file" 2>/dev/null) || return 1
    [[ $(cat "/proc/$engine/comm" 2>/dev/null) =~ ^(dockerd|setsid)$ ]]
}

stop() {
    local engine
    engine=$(cat "$pid_file" 2>/dev/null) || return 0
    started || engine=
    rm "$pid_file"
    [[ -n $engine ]] || return 0
    local left
    left=$(docker container ls --quiet 2>/dev/null) || left=
    # shellcheck disable=SC2086 # one word for each container
    [[ -z $left ]] || docker container kill $left >/dev/null
    kill "$engine"
    local deadline=$((SECONDS + STOP_WITHIN_S))
    while [[ -e /proc/$engine ]]; do
        ((SECONDS < deadline)) || fail "dockerd does not stop within $STOP_WITHIN_S s"
        sleep 0.1
    done
    # The network of the host, which the engine mounts and leaves.
    umount "$folder/run/netns/default" 2>/dev/null || true
}

case ${1:-} in
start) start ;;
started) started ;;
stop) stop ;;
*) fail "usage: docker/local/engine.sh start|started|stop" ;;
esac
