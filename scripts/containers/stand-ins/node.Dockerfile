ARG DEBIAN_IMAGE
FROM ${DEBIAN_IMAGE}
# Stands in for node:24-trixie-slim: node and npm under /usr/local, from packages of the registry that have the hash the project names.
COPY node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \
 && ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx
CMD ["node"]
