// `npm run --silent cupel -- <command>`: sets the checkout up where that is needed, then runs the operator's CLI.
import { requireNode } from './node-version.mjs'

requireNode()
import('./run-cli.mjs').then(({ runCli }) => runCli(process.argv.slice(2)))
