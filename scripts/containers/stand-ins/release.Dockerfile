ARG NODE_IMAGE
FROM ${NODE_IMAGE}
# A release of before there were images: its built checkout, and a program that begins it on the services of docker-compose.yml.
COPY . /app
WORKDIR /app
USER 10001:10001
ENTRYPOINT ["node", "/app/services/cli/dist/run-release.mjs"]
