ARG DEBIAN_IMAGE
FROM ${DEBIAN_IMAGE}
# Stands in for apache/kafka: the same user and folders, and settings from KAFKA_… variables.
RUN useradd --uid 1000 --create-home appuser \
 && mkdir -p /var/lib/kafka/data /opt/kafka/config && chown -R appuser /var/lib/kafka /opt/kafka/config
COPY libs /opt/kafka/libs
COPY log4j2.properties /opt/kafka/log4j2.properties
COPY kafka-entrypoint.sh /usr/local/bin/kafka-entrypoint.sh
USER appuser
ENTRYPOINT ["bash", "/usr/local/bin/kafka-entrypoint.sh"]
