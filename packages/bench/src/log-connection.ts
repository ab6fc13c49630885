/** Connects a benchmark process to the log of the system under test, with its own topics. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openEmbeddedLog } from '@cupel/event-log/embedded'
import { openKafkaLog } from '@cupel/event-log/kafka'
import { openDatabase } from '@cupel/postgres'
import type { EventLog } from '@cupel/event-log'
import type { KafkaAccess, KafkaCredentials } from '@cupel/local-stack'
import type { Profile } from './system.js'

export type LogConnection =
  | ({ readonly kind: 'kafka'; readonly topicPrefix: string } & KafkaAccess)
  | { readonly kind: 'embedded'; readonly databaseUrl: string; readonly topicPrefix: string }

const CONNECTIONS = 10

/** Reads the connections from run.json in the home folder of the running system. */
export async function runningLog(profile: Profile, home: string): Promise<LogConnection> {
  const run = await runOf(home)
  return profile === 'kafka'
    ? {
        kind: 'kafka',
        brokers: run['brokers'] as string[],
        sasl: run['kafkaSasl'] as KafkaCredentials,
        topicPrefix: '',
      }
    : { kind: 'embedded', databaseUrl: text(run, 'databaseUrl'), topicPrefix: '' }
}

/** The database of the running system, as the owner of its tables. */
export async function databaseUrlOf(home: string): Promise<string> {
  return text(await runOf(home), 'databaseUrl')
}

async function runOf(home: string): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(join(home, 'run.json'), 'utf8')) as Record<string, unknown>
}

function text(json: Record<string, unknown>, name: string): string {
  const value = json[name]
  if (typeof value !== 'string') throw new Error(`Expected ${name} in ${JSON.stringify(Object.keys(json))}`)
  return value
}

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
