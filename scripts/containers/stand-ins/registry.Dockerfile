ARG DEBIAN_IMAGE
FROM ${DEBIAN_IMAGE}
# Stands in for apicurio/apicurio-registry.
RUN useradd --uid 1001 --create-home jboss
COPY registry /deployments
WORKDIR /deployments
USER jboss
ENTRYPOINT ["sh", "-c", "exec java ${JAVA_OPTS_APPEND:-} -XX:+UseSerialGC -jar /deployments/*-runner.jar"]
