# The image of the analysis of wait records on Spark; docker/compose.yaml runs it beside the broker.
#
#   docker build -f docker/pipeline.dockerfile -t antechamber-pipeline .
ARG BASE=python:3.13-slim

FROM $BASE
RUN apt-get update \
 && apt-get install -y --no-install-recommends default-jre-headless maven \
 && rm -rf /var/lib/apt/lists/*
COPY . /src
RUN pip install --no-cache-dir "/src[pipeline]"
RUN useradd --create-home --uid 10001 antechamber
USER antechamber
WORKDIR /home/antechamber
# Created here, so that a volume mounted over it belongs to the user.
RUN mkdir wait-analysis
ENTRYPOINT ["antechamber", "analyze"]
