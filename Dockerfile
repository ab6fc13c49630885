# Images: a target for each service, and `cupel`, the command line with all services. docs/containers.md says how to build and run them.
# Only what every BuildKit can read, so that a build needs no other image than NODE_IMAGE.
ARG NODE_IMAGE=node:24.22.3-trixie-slim

FROM ${NODE_IMAGE} AS workshop
WORKDIR /src
ENV CI=true npm_config_store_dir=/pnpm-store npm_config_package_import_method=copy
COPY pnpm-lock.yaml pnpm-workspace.yaml .npmrc package.json ./
COPY scripts/setup.mjs scripts/setup-lock.mjs scripts/build.mjs scripts/pinned-package.mjs scripts/
COPY scripts/build scripts/build
COPY deploy/images/pnpm.mjs deploy/images/
# A network that opens TLS has an authority of its own (--secret id=ca,src=FILE). No layer keeps it.
RUN --mount=type=secret,id=ca NODE_EXTRA_CA_CERTS=/run/secrets/ca node deploy/images/pnpm.mjs fetch

FROM workshop AS checkout
COPY . .
RUN node deploy/images/pnpm.mjs install --frozen-lockfile --offline --ignore-scripts \
 && node scripts/build.mjs

# Below every service: node, the libraries that it loads, and no other program.
FROM checkout AS parts
ARG SOURCE_DATE_EPOCH=0
ENV SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH}
RUN sh deploy/images/foundation.sh /foundation /owned

FROM scratch AS foundation
COPY --from=parts /foundation/ /
# What a volume is put on: a new volume takes its owner from here.
COPY --from=parts --chown=10001:10001 /owned/ /
USER 10001:10001
WORKDIR /data
ARG VERSION=0.0.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="cupel" \
      org.opencontainers.image.description="Event-sourced wallet risk screening on Kafka" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
# Docker kills what has not ended after 10 s. Probes and scrapers call from outside of the container.
ENV NODE_ENV=production \
    PATH=/app/bin:/usr/local/bin \
    CUPEL_HOME=/data \
    CUPEL_SHUTDOWN_TIMEOUT_MS=9000 \
    CUPEL_METRICS_HOST=0.0.0.0 \
    CUPEL_METRICS_PORT=9464
ENTRYPOINT ["/usr/local/bin/node"]

FROM foundation AS service
HEALTHCHECK --interval=5s --timeout=10s --start-period=120s --retries=3 CMD ["/usr/local/bin/node", "/app/bin/healthcheck.mjs"]

FROM parts AS api-tree
RUN node deploy/images/tree.mjs api /tree/app
FROM service AS api
COPY --from=api-tree /tree/ /
CMD ["/app/dist/api.js"]

FROM parts AS scorer-tree
RUN node deploy/images/tree.mjs scorer /tree/app
FROM service AS scorer
COPY --from=scorer-tree /tree/ /
CMD ["/app/dist/scorer.js"]

FROM parts AS projector-tree
RUN node deploy/images/tree.mjs projector /tree/app
FROM service AS projector
COPY --from=projector-tree /tree/ /
CMD ["/app/dist/projector.js"]

FROM parts AS bulk-coordinator-tree
RUN node deploy/images/tree.mjs bulk-coordinator /tree/app
FROM service AS bulk-coordinator
COPY --from=bulk-coordinator-tree /tree/ /
CMD ["/app/dist/bulk-coordinator.js"]

FROM parts AS webhook-dispatcher-tree
RUN node deploy/images/tree.mjs webhook-dispatcher /tree/app
FROM service AS webhook-dispatcher
COPY --from=webhook-dispatcher-tree /tree/ /
CMD ["/app/dist/webhook-dispatcher.js"]

FROM parts AS label-refresher-tree
RUN node deploy/images/tree.mjs label-refresher /tree/app
FROM service AS label-refresher
COPY --from=label-refresher-tree /tree/ /
CMD ["/app/dist/label-refresher.js"]

FROM parts AS web-tree
RUN node deploy/images/tree.mjs web /tree/app
FROM service AS web
COPY --from=web-tree /tree/ /
CMD ["/app/dist/web.js"]

# The bill of materials of the lockfile: build it with --output.
FROM checkout AS sbom-file
RUN node deploy/images/bill-of-materials.mjs > /cupel.cdx.json
FROM scratch AS sbom
COPY --from=sbom-file /cupel.cdx.json /

# The last one is what a build without --target makes.
FROM parts AS cupel-tree
RUN node deploy/images/tree.mjs cli /tree/app
FROM foundation AS cupel
COPY --from=cupel-tree /tree/ /
ENTRYPOINT ["/usr/local/bin/node", "/app/services/cli/dist/main.js"]
CMD ["--help"]
