/**
 * The least that a screen of this architecture takes: an HTTP call, a statement of the API for each batch, a request record, a process that
 * asks the database once for each batch and appends a report record of the usual size, the tail of the API, and a process that
 * stores a row for each report. It has no keys, plans, schemas, MACs, labels, decision, signatures, audit trail and leaves, so it
 * shows what the rest of the product costs.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createBatcher } from '@cupel/concurrency'
import type { TopicSpec } from '@cupel/contracts'
import type { EventLog, LogRecord, Subscription } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'

export interface LeastParts {
  readonly log: EventLog
  readonly database: Database
}

/** What a request and its report contain. */
interface Asked {
  readonly address: string
  readonly chain: string
}

/** With the fields of the caller, about the size of a request record and of a report record. */
const REQUEST_PADDING = 'x'.repeat(300)
const REPORT_PADDING = 'x'.repeat(2_000)
const PARTITIONS = 4
const REPORT_PARTITION = 0
const MAX_BATCH_RECORDS = 500
/** As read models rest. */
const REST_MS = 200
const SCHEMA = 'bench_least'

const config = { 'cleanup.policy': 'delete', 'retention.ms': '-1' }
const requestTopic: TopicSpec = { name: 'least.request', partitions: PARTITIONS, producer: 'fast', config }
const reportTopic: TopicSpec = { name: 'least.report', partitions: PARTITIONS, producer: 'fast', config }
const headers = { ce_type: 'cupel.bench.least' }

export const leastTopics: readonly TopicSpec[] = [requestTopic, reportTopic]

/** Makes the tables, which `dropLeastTables` removes. */
export async function makeLeastTables(database: Database): Promise<void> {
  await database.query(`CREATE SCHEMA ${SCHEMA}`)
  await database.query(`CREATE TABLE ${SCHEMA}.report (report_id text PRIMARY KEY, document text NOT NULL)`)
  await database.query(`CREATE TABLE ${SCHEMA}.quota (id integer PRIMARY KEY, used bigint NOT NULL)`)
  await database.query(`INSERT INTO ${SCHEMA}.quota VALUES (1, 0)`)
}

export async function dropLeastTables(database: Database): Promise<void> {
  await database.query(`DROP SCHEMA IF EXISTS ${SCHEMA} CASCADE`)
}

/** In place of the API: every POST is a screen, whatever its path and its key. */
export async function serveLeastScreens({
  log,
  database,
}: LeastParts): Promise<{ readonly port: number; close(): Promise<void> }> {
  const waiting = new Map<string, (report: Buffer) => void>()
  const settle = ({ key, value }: LogRecord): void => {
    waiting.get(key)?.(value)
    waiting.delete(key)
  }
  const tail = await log.tail({
    topic: reportTopic.name,
    partition: REPORT_PARTITION,
    onRecords: (records) => records.forEach(settle),
    onStopped: failure,
  })
  const admission = createBatcher<null, null>({
    run: async (calls) => {
      await database.query(ADMIT, [calls.length])
      return calls.map(() => null)
    },
  })
  let count = 0
  const screen = async (asked: Asked): Promise<Buffer> => {
    const key = `${process.pid}-${(count += 1)}`
    await admission.add(null)
    const report = new Promise<Buffer>((resolve) => waiting.set(key, resolve))
    const value = Buffer.from(JSON.stringify({ ...asked, padding: REQUEST_PADDING }))
    log.append('test', [{ topic: requestTopic.name, key, value, headers }]).catch(failure)
    return await report
  }
  const server = createServer((request, response) => {
    bodyOf(request)
      .then((body) => screen(JSON.parse(body) as Asked))
      .then((report) => response.setHeader('content-type', 'application/json').end(report), failure)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.close()
      server.closeAllConnections()
      await tail.stop()
      await admission.close()
    },
  }
}

/** In place of the scorer: a report for every request. */
export function answerLeastRequests({ log, database }: LeastParts): Promise<Subscription> {
  return subscribe(log, {
    group: 'least.scorer',
    topic: requestTopic.name,
    async handle(records) {
      const asked = records.map(({ value }) => JSON.parse(value.toString()) as Asked)
      await database.query(LOOK_UP, [asked.map(({ address }) => address)])
      const reports = asked.map(({ address, chain }, index) => ({
        topic: reportTopic.name,
        partition: REPORT_PARTITION,
        key: records[index]!.key,
        value: reportOf(records[index]!.key, address, chain),
        headers,
      }))
      log.append('test', reports).catch(failure)
    },
  })
}

/** In place of a read model: a row for every report. */
export function storeLeastReports({ log, database }: LeastParts): Promise<Subscription> {
  return subscribe(log, {
    group: 'least.projector',
    topic: reportTopic.name,
    restMs: REST_MS,
    async handle(records) {
      const rows = records.map(({ key, value }) => ({ report_id: key, document: value.toString() }))
      await database.query(STORE, [JSON.stringify(rows)])
    },
  })
}

const ADMIT = {
  name: 'least.admit',
  text: `UPDATE ${SCHEMA}.quota SET used = used + $1 WHERE id = 1`,
}
const LOOK_UP = {
  name: 'least.look_up',
  text: `SELECT report_id FROM ${SCHEMA}.report WHERE report_id = ANY($1::text[])`,
}
const STORE = {
  name: 'least.store',
  text: `INSERT INTO ${SCHEMA}.report SELECT report_id, document
    FROM jsonb_to_recordset($1::jsonb) AS row(report_id text, document text) ON CONFLICT DO NOTHING`,
}

function subscribe(
  log: EventLog,
  {
    group,
    topic,
    restMs,
    handle,
  }: {
    readonly group: string
    readonly topic: string
    readonly restMs?: number
    readonly handle: (records: readonly LogRecord[]) => Promise<void>
  },
): Promise<Subscription> {
  return log.subscribe({
    ...{ group, topics: [topic], maxBatchRecords: MAX_BATCH_RECORDS, concurrency: PARTITIONS },
    ...(restMs === undefined ? {} : { restMs }),
    checkpoint: () => Promise.resolve(null),
    async handle({ records }) {
      if (records.length > 0) await handle(records)
      return undefined
    },
    onStopped: failure,
    onRetry: failure,
  })
}

function reportOf(reportId: string, address: string, chain: string): Buffer {
  const risk = { level: 'green', score: 0 }
  return Buffer.from(JSON.stringify({ report_id: reportId, address, chain, risk, padding: REPORT_PADDING }))
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

/** A measurement with a fault is none: the process ends. */
function failure(error: unknown): never {
  throw error
}
