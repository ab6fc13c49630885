/** Connects a benchmark process to the log of the system under test, with its own topics. */
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { EventLog } from '@cupel/event-log'
import { openEmbeddedLog } from '@cupel/event-log/embedded'
import { openKafkaLog } from '@cupel/event-log/kafka'
import type { KafkaAccess } from '@cupel/local-stack'
import { openDatabase } from '@cupel/postgres'

export type LogConnection = { readonly topicPrefix: string } & (
  | ({ readonly kind: 'kafka' } & KafkaAccess)
  | { readonly kind: 'embedded'; readonly databaseUrl: string }
)

const CONNECTIONS = 10

/** Reads the connection from run.json in the home folder of the running system. */
export async function runningLog(home: string, topicPrefix = ''): Promise<LogConnection> {
  const run = JSON.parse(await readFile(join(home, 'run.json'), 'utf8')) as {
    readonly databaseUrl: string
    readonly brokers?: KafkaAccess['brokers'] | null
    readonly kafkaSasl?: KafkaAccess['sasl'] | null
  }
  return run.brokers && run.kafkaSasl
    ? { kind: 'kafka', brokers: run.brokers, sasl: run.kafkaSasl, topicPrefix }
    : { kind: 'embedded', databaseUrl: run.databaseUrl, topicPrefix }
}

export const newPrefix = (): string => `bench-${randomBytes(4).toString('hex')}.`

/** `close` closes the database of an embedded log too. */
export function openLog(connection: LogConnection, clientId: string): EventLog {
  const { topicPrefix } = connection
  if (connection.kind === 'kafka') {
    const { brokers, sasl } = connection
    return openKafkaLog({ brokers, sasl, clientId, topicPrefix })
  }
  const database = openDatabase({
    connectionString: connection.databaseUrl,
    maxConnections: CONNECTIONS,
    applicationName: clientId,
  })
  const log = openEmbeddedLog({ database, topicPrefix })
  const close = log.close.bind(log)
  log.close = async () => {
    await close()
    await database.close()
  }
  return log
}
