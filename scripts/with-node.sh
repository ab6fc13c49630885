#!/bin/sh
# Runs a program under the Node of this checkout (runtime.mjs), also what it starts by the name `node`. It becomes that program, so that
# signals reach it directly.
set -e
node=$(node "$(dirname "$0")/runtime.mjs")
PATH="$(dirname "$node"):$PATH"
export PATH
exec "$node" "$@"
