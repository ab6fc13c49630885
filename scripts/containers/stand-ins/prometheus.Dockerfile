ARG DEBIAN_IMAGE
FROM ${DEBIAN_IMAGE}
# Stands in for prom/prometheus: the same user, paths and settings, as far as docker-compose.yml uses them.
RUN apt-get update -q \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends prometheus \
 && rm -rf /var/lib/apt/lists/* \
 && mkdir -p /prometheus && chown 65534:65534 /prometheus
USER 65534
ENTRYPOINT ["/bin/prometheus"]
