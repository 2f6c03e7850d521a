# Replaces apache/kafka:X where it cannot be pulled: Kafka's jars on Debian's Java, configured by
# environment variables as the official image is.
ARG DEBIAN
FROM $DEBIAN
RUN useradd --create-home --uid 1000 appuser
COPY jars /opt/kafka/libs
COPY kafka-log4j2.properties /opt/kafka/log4j2.properties
COPY kafka-run.sh /opt/kafka/run.sh
USER appuser
EXPOSE 9092
ENTRYPOINT ["bash", "/opt/kafka/run.sh"]
