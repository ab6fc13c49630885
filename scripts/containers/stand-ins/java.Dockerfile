ARG DEBIAN_IMAGE
FROM ${DEBIAN_IMAGE}
RUN apt-get update -q \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends openjdk-21-jre-headless \
 && rm -rf /var/lib/apt/lists/*
