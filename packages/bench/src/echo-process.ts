/** The echo of the Kafka floor as a process of its own, where the scorer has one. */
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
