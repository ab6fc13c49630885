/** The echo of the Kafka floor. It is a separate process because the scorer is one. */
import { floorTopics, startEcho } from './floor.js'
import { openLog, type LogConnection } from './log-connection.js'

process.once('message', (connection: LogConnection) => {
  serve(connection).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
    process.exit(1)
  })
})
process.once('disconnect', () => process.exit(0))

async function serve(connection: LogConnection): Promise<void> {
  const { log } = await openLog(connection, 'bench-echo')
  await log.ensureTopics(floorTopics)
  await startEcho(log)
  process.send!('ready')
}
