/** Connects a benchmark process to the log of the system under test, with its own topics. */
import { openEmbeddedLog } from '@cupel/event-log/embedded'
import { openKafkaLog } from '@cupel/event-log/kafka'
import { openDatabase } from '@cupel/postgres'
import type { EventLog } from '@cupel/event-log'
import type { KafkaAccess } from '@cupel/local-stack'

export type LogConnection =
  | ({ readonly kind: 'kafka'; readonly topicPrefix: string } & KafkaAccess)
  | { readonly kind: 'embedded'; readonly databaseUrl: string; readonly topicPrefix: string }

const CONNECTIONS = 10

export async function openLog(
  connection: LogConnection,
  clientId: string,
): Promise<{ log: EventLog; close: () => Promise<void> }> {
  if (connection.kind === 'kafka') {
    const { brokers, sasl, topicPrefix } = connection
    const log = openKafkaLog({ brokers, sasl, clientId, topicPrefix })
    return { log, close: () => log.close() }
  }
  const database = openDatabase({
    connectionString: connection.databaseUrl,
    maxConnections: CONNECTIONS,
    applicationName: clientId,
  })
  const log = openEmbeddedLog({ database, topicPrefix: connection.topicPrefix })
  return {
    log,
    close: async () => {
      await log.close()
      await database.close()
    },
  }
}
