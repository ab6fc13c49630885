/** One of the three processes of the least screen. They are separate because API, scorer and projector are. */
import { openDatabase } from '@cupel/postgres'
import { openLog, type LogConnection } from '../log-connection.js'
import {
  answerLeastRequests,
  leastTopics,
  serveLeastScreens,
  storeLeastReports,
  type LeastParts,
} from './least-screen.js'

export interface LeastOrder {
  readonly role: 'api' | 'scorer' | 'projector'
  readonly log: LogConnection
  readonly databaseUrl: string
}

/** The port of the API; null from the others. */
export interface LeastReply {
  readonly port: number | null
}

const DATABASE_CONNECTIONS = 4

process.once('message', (order: LeastOrder) => {
  start(order)
    .then((reply) => process.send!(reply))
    .catch((error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
      process.exit(1)
    })
})
process.once('disconnect', () => process.exit(0))

async function start({ role, log: connection, databaseUrl }: LeastOrder): Promise<LeastReply> {
  const applicationName = `bench-least-${role}`
  const { log } = await openLog(connection, applicationName)
  await log.ensureTopics(leastTopics)
  const database = openDatabase({
    connectionString: databaseUrl,
    maxConnections: DATABASE_CONNECTIONS,
    applicationName,
  })
  return { port: await serve(role, { log, database }) }
}

async function serve(role: LeastOrder['role'], parts: LeastParts): Promise<number | null> {
  if (role === 'api') return (await serveLeastScreens(parts)).port
  await (role === 'scorer' ? answerLeastRequests : storeLeastReports)(parts)
  return null
}
