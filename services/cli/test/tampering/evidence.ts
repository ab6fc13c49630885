/** An installation with everything that an auditor can check: log, views, transparency log, archive, reports and proofs. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  derivedTopicSpecs,
  LATEST_REPORTS_GROUP,
  topicOf,
  topicSpecs,
  type TopicSpec,
} from '@cupel/contracts'
import {
  type AuthenticLog,
  endsOf,
  type EventLog,
  type LogRecord,
  LogStoppedError,
  placesOf,
  readAuthentic,
  scan,
} from '@cupel/event-log'
import type { Database, Transaction } from '@cupel/postgres'
import { putCheckpoints } from '@cupel/projections'
import { latestReportRecord, latestReportsOf, reportedAddressesOf } from '@cupel/reports/read-model'
import { createPdfRenderer, type PdfRenderer } from '@cupel/reports/pdf'
import { readSigningKeys, verifierKey, type PublicKey, type SigningKeys } from '@cupel/signing'
import { createSlots } from '@cupel/kit/concurrency'
import { until } from '@cupel/testkit'
import { testEvent } from '@cupel/testkit/installation'
import {
  CHECKPOINTS_FOLDER,
  extendLog,
  publishedFolder,
  publishFiles,
  readProof,
  SIGNING_KEYS_FILE,
  transparencyFolder,
  type PublishedStore,
} from '@cupel/evidence/transparency'
import { expect } from 'vitest'
import { verifyConnected, type Verified } from '@cupel/evidence/commands'
import { createContext } from '@cupel/command-line'
import { ACCOUNT, insertAccounts } from '../account-rows.js'
import { openDecided, type Decided } from '../decided.js'
import { makeRows } from './made-rows.js'
import { MIXED, SANCTIONED, UNLISTED } from '../some-labels.js'

export interface ProvenDocument {
  readonly id: string
  readonly document: string
  readonly proof: string
}

export interface Evidence {
  readonly decided: Decided
  readonly keys: SigningKeys
  readonly publicKeys: readonly PublicKey[]
  /** Public keys of the installation, one per line. */
  readonly keysFile: string
  /** Every record of every topic, in the order of topics, partitions and offsets. */
  readonly records: readonly LogRecord[]
  /** The records of the topic of latest reports, which have no leaves. */
  readonly latestReports: readonly LogRecord[]
  /** A second folder with the published files. */
  readonly copy: string
  /** The published folder of the transparency log, and a copy of it from an earlier checkpoint. */
  readonly published: string
  readonly olderPublished: string
  readonly archive: string
  /** The archive before its last manifest. */
  readonly olderArchive: string
  readonly reports: readonly ProvenDocument[]
  readonly renderer: PdfRenderer
  /** Runs `cupel audit verify` with another log or database, and returns its findings. */
  audit(other?: Audited): Promise<Verified>
  close(): Promise<void>
}

interface Audited {
  readonly records?: readonly LogRecord[]
  readonly latestReports?: readonly LogRecord[]
  readonly database?: Database
  /** Whether the rows of read models and primary tables are compared, which takes most of the time. */
  readonly comparesRows?: boolean
}

/** More leaves than a full tile has. */
const ACCOUNTS = 262
const FEW = 8
/** A render takes some hundred milliseconds of CPU, and the machine may have other work. */
const HANG_MS = 600_000
const SCREENED = [SANCTIONED, MIXED, UNLISTED]

export async function openEvidence(): Promise<Evidence> {
  const copies = mkdtempSync(join(tmpdir(), 'cupel-copies-'))
  const decided = await openDecided({ signs: true, settings: { CUPEL_CHECKPOINT_FOLDER: copies } })
  const { folder, database, log, codec } = decided
  const keyFile = join(folder, SIGNING_KEYS_FILE)
  const keys = readSigningKeys(keyFile)
  const checkpoints = join(folder, CHECKPOINTS_FOLDER)
  mkdirSync(checkpoints, { recursive: true })
  await appendAccounts(decided, 0, ACCOUNTS)
  await decided.importLabels('sdn', [SANCTIONED.row, MIXED.row])
  await makeRows(decided, await decided.screen(SANCTIONED.address, 'ETH'))
  const step = () => signEverything(decided, keys, [checkpoints, copies].map(publishedFolder))
  for (const { address } of SCREENED) await decided.screen(address, 'ETH')
  await settled(decided, 1 + SCREENED.length)
  await step()
  const published = transparencyFolder(checkpoints, await log.identity())
  const [archive, elsewhere] = [join(folder, 'archive'), join(folder, 'elsewhere')]
  mkdirSync(elsewhere)
  await decided.json('archive', 'create', archive)
  cpSync(archive, join(elsewhere, 'older-archive'), { recursive: true })
  cpSync(published, join(elsewhere, 'older'), { recursive: true })
  await appendAccounts(decided, ACCOUNTS, ACCOUNTS + FEW)
  for (const { address } of SCREENED) await decided.screen(address, 'ETH')
  await settled(decided, 1 + 2 * SCREENED.length)
  await step()
  await decided.json('archive', 'create', archive)
  const { publicKeys } = keys
  const keysFile = join(elsewhere, 'keys.txt')
  writeFileSync(keysFile, `${publicKeys.map(verifierKey).join('\n')}\n`)
  const records = await everyRecord(decided, topicSpecs)
  await appendLatestReports(decided)
  const latestReports = await everyRecord(decided, derivedTopicSpecs)
  const context = createContext(decided.environment, [])
  const config = await context.config()
  const check = await log.forgeryCheck()
  const renderer = createPdfRenderer({ workers: 1, timeoutMs: HANG_MS })
  return {
    ...{ decided, keys, publicKeys, keysFile, records, latestReports, published, archive, renderer },
    copy: transparencyFolder(copies, await log.identity()),
    olderPublished: join(elsewhere, 'older'),
    olderArchive: join(elsewhere, 'older-archive'),
    reports: await provenReports(decided, records),
    audit: async (other = {}) =>
      await verifyConnected(
        context,
        { json: true },
        {
          publicKeys: null,
          ...{ graceMs: 0, comparesRows: other.comparesRows ?? false },
          connections: {
            ...{ codec, config, checksMacs: true, database: other.database ?? database },
            log: readAuthentic(
              logOfMemory(log, [...(other.records ?? records), ...(other.latestReports ?? latestReports)]),
              check,
            ),
          },
        },
      ),
    async close() {
      await renderer.close()
      await decided.close()
      rmSync(copies, { recursive: true })
    },
  }
}

async function appendAccounts({ database, append }: Decided, from: number, to: number): Promise<void> {
  const ids = Array.from({ length: to - from }, (_, at) => `acc_${from + at}`)
  await insertAccounts(database, ids)
  await append(...ids.map((id) => testEvent('AccountCreated', id, { accountId: id, ...ACCOUNT, reason: '' })))
}

/** Resolves once the read models have every record and `reports` reports; nothing changes after that. */
async function settled({ database, log }: Decided, reports: number): Promise<void> {
  await until(async () => {
    for (const { topic, partition, offset } of await endsOf(log, topicSpecs)) {
      const behind = await database.query(
        `SELECT group_name FROM projection.checkpoint WHERE topic = $1 AND partition = $2 AND next < $3
          AND group_name <> 'projector.transparency.v1'`,
        [topic, partition, offset],
      )
      expect(behind).toEqual([])
    }
    expect(await database.query('SELECT FROM report_view.report')).toHaveLength(reports)
  })
}

/** Does the work that the projector repeats every few seconds. */
async function signEverything(
  { log, codec, database }: Decided,
  keys: SigningKeys,
  stores: readonly PublishedStore[],
): Promise<void> {
  const places = await placesOf(log, topicSpecs)
  await extendLog({ log, codec, database, keys, stores, places })
  expect(await publishFiles(database, { stores, keys, log: await log.identity() })).toBe(true)
}

async function everyRecord({ log }: Decided, topics: readonly TopicSpec[]): Promise<LogRecord[]> {
  const records: LogRecord[] = []
  for await (const record of scan(log.unchecked, topics)) records.push(record)
  return records
}

/** Does the work of the keeper of the topic of latest reports. */
async function appendLatestReports({ log, codec, database }: Decided): Promise<void> {
  for await (const addresses of reportedAddressesOf(database, 'acc_test'))
    for (const report of await latestReportsOf(database, addresses))
      await log.append('test', [latestReportRecord(codec, report)])
  const ends = await endsOf(log, [topicOf('ReportGenerated', true), topicOf('ReportGenerated', false)])
  const positions = ends.map(({ topic, partition, offset: next }) => ({ topic, partition, next }))
  await putCheckpoints(database, { group: LATEST_REPORTS_GROUP, log: await log.identity(), positions })
}

async function provenReports(
  { codec, database }: Decided,
  records: readonly LogRecord[],
): Promise<ProvenDocument[]> {
  const proven: ProvenDocument[] = []
  for (const record of records.filter(({ topic }) => topic === topicOf('ReportGenerated'))) {
    const event = codec.decodeAs('ReportGenerated', record)
    if (event === null) continue
    const { reportId: id, report: document } = event.data
    const found = await readProof(database, { reportId: id, document })
    if (found.kind !== 'proof') throw new Error(`${id}: ${found.kind}`)
    proven.push({ id, document, proof: found.text })
  }
  return proven
}

/** A log that holds these records, and otherwise answers like the log of an installation. */
function logOfMemory(log: AuthenticLog, records: readonly LogRecord[]): EventLog {
  const partitions = new Map<string, LogRecord[]>()
  for (const record of records) {
    const place = `${record.topic}/${record.partition}`
    const known = partitions.get(place)
    if (known === undefined) partitions.set(place, [record])
    else known.push(record)
  }
  const of = (topic: string, partition: number): readonly LogRecord[] =>
    partitions.get(`${topic}/${partition}`) ?? []
  return {
    kind: 'archive',
    identity: () => log.identity(),
    partitionCount: (topic: string) => log.partitionCount(topic),
    startOffset: async (topic: string, partition: number) => of(topic, partition)[0]?.offset ?? 0,
    endOffset: async (topic: string, partition: number) => (of(topic, partition).at(-1)?.offset ?? -1) + 1,
    async *read({ topic, partition, from, to }: Parameters<EventLog['read']>[0]) {
      let next = from
      for (const record of of(topic, partition)) {
        if (record.offset < from || record.offset >= to) continue
        if (record.offset !== next)
          throw new LogStoppedError('gap', `Record ${next} of ${topic}/${partition} is missing.`)
        yield [record]
        next += 1
      }
    },
  } as unknown as EventLog
}

/** Runs `work` in a transaction that is rolled back. */
export async function rolledBack<T>(
  database: Database,
  work: (transaction: Database) => Promise<T>,
): Promise<T> {
  const done = new Error('rolled back')
  let result: { readonly value: T } | null = null
  try {
    await database.transaction({ at: 'transparency.sign' }, async (transaction) => {
      result = { value: await work(databaseOf(database, transaction)) }
      throw done
    })
  } catch (error) {
    if (error !== done) throw error
  }
  return result!.value
}

/** All statements run within the one transaction, in which the settings of one work would hold for another. */
function databaseOf(database: Database, transaction: Transaction): Database {
  const [statements, transactions] = [createSlots(1), createSlots(1)]
  const isWithin = new AsyncLocalStorage<boolean>()
  const connection: Transaction = {
    ...transaction,
    query: (statement, values) => statements(() => transaction.query(statement, values)),
    execute: (statement, values) => statements(() => transaction.execute(statement, values)),
  }
  return {
    ...database,
    query: connection.query,
    execute: connection.execute,
    transaction: (_, work) =>
      isWithin.getStore() === true
        ? work(connection)
        : transactions(() => isWithin.run(true, () => work(connection))),
    withConnection: (work) => work(connection),
  }
}
