#!/usr/bin/env node
// `npm run --silent cupel -- <command>`, or without npm `scripts/cupel.mjs <command>`: sets the checkout up if needed, then runs the CLI.
import { runUnderRuntime } from './runtime.mjs'

runUnderRuntime(() => import('./run-cli.mjs').then(({ runCli }) => runCli(process.argv.slice(2))))
