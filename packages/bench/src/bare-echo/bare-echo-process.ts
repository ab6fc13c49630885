/** The bare echo. It is a separate process because the scorer is one. */
import { startBareEcho, type BareEchoConnection } from './bare-echo.js'

process.once('message', (connection: BareEchoConnection) => {
  startBareEcho(connection)
    .then(() => process.send!('ready'))
    .catch((error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
      process.exit(1)
    })
})
process.once('disconnect', () => process.exit(0))
