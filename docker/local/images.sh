#!/usr/bin/env bash
# Makes the images of the tests that the Docker engine neither has nor can pull, from Debian's
# packages: the base image of docker/Dockerfile, and Apache Kafka from the jars that Maven fetches.
#
#   docker/local/images.sh
#
# Needs root and Debian, if an image must be made. ANTECHAMBER_BASE_IMAGE and ANTECHAMBER_KAFKA_IMAGE
# are other names of the two.
set -euo pipefail
cd "$(dirname "$0")"

base_image=${ANTECHAMBER_BASE_IMAGE:-python:3.13-slim}
kafka_image=${ANTECHAMBER_KAFKA_IMAGE:-apache/kafka:4.3.1}
DEBIAN=antechamber-local-debian
SUITE=bookworm
PACKAGES=ca-certificates,openjdk-17-jre-headless,python3,python3-venv
PULL_WITHIN_S=300

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

is_there() { docker image inspect "$1" >/dev/null 2>&1; }
is_available() { is_there "$1" || timeout "$PULL_WITHIN_S" docker pull --quiet "$1" >/dev/null 2>&1; }

install_mmdebstrap() {
    if ((EUID)) || ! command -v apt-get >/dev/null; then
        echo "an image cannot be pulled, and only root can make it, on Debian" >&2
        exit 1
    fi
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends mmdebstrap
} >/dev/null

make_debian() {
    is_there "$DEBIAN" && return
    command -v mmdebstrap >/dev/null || install_mmdebstrap
    echo "making an image of Debian $SUITE" >&2
    local image # tagged when it is complete
    image=$(mmdebstrap --quiet --variant=minbase --dpkgopt=force-unsafe-io --include="$PACKAGES" \
        "$SUITE" - | docker import -)
    docker tag "$image" "$DEBIAN"
}

# IMAGE DOCKERFILE: build it from the files in $scratch/DOCKERFILE
build() {
    echo "making $1" >&2
    cp "$2" "$scratch/$2/Dockerfile"
    docker build --quiet --network host --build-arg "DEBIAN=$DEBIAN" --tag "$1" "$scratch/$2" >/dev/null
}

make_base() {
    local context=$scratch/python.dockerfile
    mkdir "$context"
    cp "${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt}" "$context/certificates.pem"
    cat /etc/pip.conf >"$context/pip.conf" 2>/dev/null || true # there may be none
    build "$base_image" python.dockerfile
}

make_kafka() {
    local context=$scratch/kafka.dockerfile jars
    mkdir "$context"
    jars=$(cd ../.. && python3 -m integration.kafka.jars)
    cp -r "$jars" "$context/jars"
    cp kafka-log4j2.properties kafka-run.sh "$context"
    build "$kafka_image" kafka.dockerfile
}

if ! is_available "$base_image"; then
    make_debian
    make_base
fi
if ! is_available "$kafka_image"; then
    make_debian
    make_kafka
fi
