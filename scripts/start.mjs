// `npm start`: sets the checkout up if needed, then runs `cupel start` with the same arguments.
import { runUnderRuntime } from './runtime.mjs'

runUnderRuntime(() =>
  import('./run-cli.mjs').then(({ runCli }) => runCli(['start'].concat(process.argv.slice(2)))),
)
