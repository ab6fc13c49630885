/** The harness of the consumer contract: a log of either kind, and tables, consumers and topics of its own. */
import { randomBytes } from 'node:crypto'
import type { Logger } from '@cupel/contracts'
import {
  deadLetterTopic,
  listDeadLetters,
  UndecodableRecordError,
  type DeadLetter,
  type EventLog,
  type LogRecord,
} from '@cupel/event-log'
import { openDatabase, type Database, type MigrationSource } from '@cupel/postgres'
import { createTestDatabase, migratedTemplate } from '@cupel/testkit'
import {
  consume,
  inBackground,
  inTransaction,
  projectionsMigrations,
  type Consumer,
  type ConsumeOptions,
} from '../src/index.js'

/** How the contract opens a log of one kind. */
export interface LogKind {
  readonly migrations: readonly MigrationSource[]
  open(database: Database): EventLog
  /** Deletes everything before an offset, as retention or an accident would. */
  deleteBefore(database: Database, at: { topic: string; partition: number; offset: number }): Promise<void>
}

export type Commit = 'in a transaction' | 'in the background'

export interface Consuming {
  readonly database: Database
  readonly log: EventLog
  /** A topic of two partitions. */
  readonly topic: string
  /** The topic that background consumers append to; it has one partition. */
  readonly outputs: string
  readonly group: string
  /** The `warn` and `error` lines that consumers logged. */
  readonly lines: readonly string[]
  /** Nothing can read a text `poison…`. The schema of a text `newer…` is unknown until `knowsNewer` is set. */
  append(texts: readonly string[], partition?: number): Promise<void>
  knowsNewer: boolean
  /** Adds a member to the group. Closing stops it. */
  consumer(commit: Commit, options?: Partial<ConsumeOptions<string>> & { database?: Database }): Consumer
  /** Outcomes of a partition in commit order: rows, or records appended by background consumers. */
  outcomes(commit: Commit): Promise<string[]>
  checkpoint(partition?: number): Promise<number | null>
  moveCheckpoint(next: number, log?: string): Promise<void>
  deadLetters(): Promise<readonly DeadLetter[]>
  deleteBefore(offset: number): Promise<void>
  close(): Promise<void>
}

export async function openConsuming(kind: LogKind): Promise<Consuming> {
  const testDatabase = await createTestDatabase(
    await migratedTemplate([projectionsMigrations, ...kind.migrations]),
  )
  const pools: Database[] = []
  const connect = (): Database => {
    const pool = openDatabase({
      connectionString: testDatabase.connectionString,
      ...{ maxConnections: 8, applicationName: 'test' },
    })
    pools.push(pool)
    return pool
  }
  const database = connect()
  await database.execute(
    "CREATE TABLE outcome (id int8 GENERATED ALWAYS AS IDENTITY, text text CHECK (text <> 'refused'))",
  )
  const log = kind.open(connect())
  const name = randomBytes(6).toString('hex')
  const [topic, outputs, group] = [
    `consuming.${name}.v1`,
    `consuming.${name}.outputs.v1`,
    `consuming.${name}`,
  ]
  await log.ensureTopics([
    { ...deadLetterTopic(group), name: topic, partitions: 2 },
    { ...deadLetterTopic(group), name: outputs },
    deadLetterTopic(group),
  ])
  const consumers: Consumer[] = []
  const lines: string[] = []
  const consuming: Consuming = {
    ...{ database, log, topic, outputs, group, lines, knowsNewer: false },
    async append(texts, partition = 0) {
      await log.append(
        'test',
        texts.map((text) => recordOf(topic, text, partition)),
      )
    },
    consumer(commit, { database: own = database, ...options } = {}) {
      const started = consume<string>({
        ...{ log, group, topics: [topic], maxBatchRecords: 100, concurrency: 4, schemaPatienceMs: 60_000 },
        logger: loggerInto(lines),
        read: (record) => readText(record, consuming),
        deadLetters: { at: 'test' },
        commit: commit === 'in a transaction' ? intoRows(own) : intoOutputs(own, options.log ?? log, outputs),
        ...options,
      })
      consumers.push(started)
      return started
    },
    async outcomes(commit) {
      if (commit === 'in the background') return (await readAll(log, outputs)).map(textOf)
      const rows = await database.query<{ text: string }>('SELECT text FROM outcome ORDER BY id')
      return rows.map((row) => row.text)
    },
    async checkpoint(partition = 0) {
      const [row] = await database.query<{ next: number }>(
        'SELECT next FROM projection.checkpoint WHERE group_name = $1 AND topic = $2 AND partition = $3',
        [group, topic, partition],
      )
      return row?.next ?? null
    },
    async moveCheckpoint(next, identity) {
      await database.execute(
        `INSERT INTO projection.checkpoint (group_name, topic, partition, next, log) VALUES ($1, $2, 0, $3, $4)
         ON CONFLICT (group_name, topic, partition) DO UPDATE SET next = excluded.next, log = excluded.log`,
        [group, topic, next, identity ?? (await log.identity())],
      )
    },
    deadLetters: () => listDeadLetters(log, group),
    deleteBefore: (offset) => kind.deleteBefore(database, { topic, partition: 0, offset }),
    async close() {
      await Promise.all(consumers.map((one) => one.stop()))
      await log.close()
      await Promise.all(pools.map((pool) => pool.close()))
      await testDatabase.drop()
    },
  }
  return consuming
}

function recordOf(topic: string, text: string, partition: number) {
  return { topic, partition, key: text, value: Buffer.from(text), headers: { ce_type: 'Text' } }
}

function readText(record: LogRecord, { knowsNewer }: Consuming): string {
  const text = textOf(record)
  if (text.startsWith('poison')) throw new TypeError(`${text} cannot be read`)
  if (text.startsWith('newer') && !knowsNewer)
    throw new UndecodableRecordError('unknown-schema', record, 'schema 9 is not known')
  return text
}

const textOf = ({ value }: LogRecord): string => value!.toString()

function intoRows(database: Database) {
  return inTransaction<string>({
    database,
    at: 'test',
    async write(transaction, batches) {
      for (const text of batches.flatMap(({ outcomes }) => outcomes))
        await transaction.execute('INSERT INTO outcome (text) VALUES ($1)', [text])
    },
  })
}

function intoOutputs(database: Database, log: EventLog, topic: string) {
  return inBackground<string>({
    ...{ database, at: 'test', maxInFlightRecords: 1_000 },
    append: (texts) =>
      log.append(
        'test',
        texts.map((text) => recordOf(topic, text, 0)),
      ),
  })
}

async function readAll(log: EventLog, topic: string): Promise<LogRecord[]> {
  const records: LogRecord[] = []
  const to = await log.endOffset(topic, 0)
  for await (const batch of log.read({ topic, partition: 0, from: 0, to })) records.push(...batch)
  return records
}

function loggerInto(lines: string[]): Logger {
  const note = (_fields: object, message: string): void => void lines.push(message)
  return { debug: () => undefined, info: () => undefined, warn: note, error: note }
}
