/** A log with a transparency log, and helpers that change both. */
import { placesOf, type EventLog } from '@cupel/event-log'
import { join } from 'node:path'
import { topicOf, topicSpecs, type DomainEvent, type EventData } from '@cupel/contracts'
import type { Database } from '@cupel/postgres'
import { createSigningKeys, readSigningKeys, type SigningKeys } from '@cupel/signing'
import { openTestInstallation, testEvent, type TestInstallation } from '@cupel/testkit/installation'
import {
  extendLog,
  publishedFolder,
  publishFiles,
  storeOfLog,
  transparencyMigrations,
  type PublishedStore,
} from '../../src/transparency/index.js'
import { type ExtendParts, type Extended } from '../../src/transparency/extend-log.js'

const TYPES = ['ReportGenerated', 'AccountCreated', 'ShorterLogAccepted'] as const
const NAMES: readonly string[] = TYPES.map((type) => topicOf(type))
export const topics = topicSpecs.filter(({ name }) => NAMES.includes(name))

export interface TransparentLog {
  readonly installation: TestInstallation
  readonly keys: SigningKeys
  readonly keyFile: string
  readonly folder: string
  readonly store: PublishedStore
  parts(): Promise<ExtendParts>
  /** Extends the log, and publishes it unless told otherwise. */
  extend(more?: {
    readonly publishes?: boolean
    readonly maxLeaves?: number
  }): Promise<Extended | 'overtaken'>
  publish(): Promise<boolean>
  /** A published file. */
  file(name: string): Promise<Buffer>
  close(): Promise<void>
}

export async function openTransparentLog(
  openLog?: (database: Database) => EventLog,
  other?: PublishedStore,
): Promise<TransparentLog> {
  const migrations = [transparencyMigrations]
  const installation = await openTestInstallation({
    ...{ migrations, topics },
    ...(openLog === undefined ? {} : { openLog }),
  })
  const { log, database, codec, folder } = installation
  const keyFile = join(folder, 'signing-keys.json')
  createSigningKeys(keyFile)
  const keys = readSigningKeys(keyFile)
  const store = other ?? publishedFolder(folder)
  const parts = async (): Promise<ExtendParts> => {
    return { log, database, codec, keys, stores: [store], places: await placesOf(log, topics) }
  }
  const publish = async (): Promise<boolean> =>
    publishFiles(database, { stores: [store], keys, log: await log.identity() })
  return {
    ...{ installation, keys, keyFile, folder, store, parts, publish },
    async extend({ publishes = true, ...more } = {}) {
      const result = await extendLog({ ...(await parts()), ...more })
      if (publishes) await publish()
      return result
    },
    async file(name) {
      const bytes = await storeOfLog(store, await log.identity()).read(name)
      if (bytes === null) throw new Error(`${name} is not published`)
      return bytes
    },
    close: () => installation.close(),
  }
}

export function accounts(count: number): DomainEvent[] {
  return Array.from({ length: count }, (_, at) =>
    testEvent('AccountCreated', `acc_${at}`, {
      ...{ accountId: `acc_${at}`, name: 'First', createdAt: '2026-11-23T09:00:00.000Z', createdBy: 'test' },
    } as EventData['AccountCreated']),
  )
}

/** A report as callers receive it, with characters that encoders can write in several ways. */
export const documentOf = (reportId: string): string =>
  `{"report_id":"${reportId}","note":"é \\u00e9 \\" 😀 拉","score":92.40}`

export function report(reportId: string, document = documentOf(reportId)): DomainEvent {
  const categories = { sanctions: 0, darknet: 0, mixer: 0, scam: 0, stolen: 92.4, cleanExchange: 0 }
  const inputs = {
    ...{ labelSetSeq: 0, labelView: '', labelStateSha256: '', labels: [], cluster: null, policyId: '' },
    ...{ policyVersion: 0, policySha256: '', chainTableVersion: '', originTableVersion: '' },
    ...{ assetTableVersion: '', scorerVersion: '', chainStage: '', chainFacts: [], exposure: null },
  }
  return testEvent('ReportGenerated', reportId, {
    ...{ reportId, report: document, accountId: 'acc_1', livemode: true, address: '0xAbC' },
    ...{ canonicalAddress: '0xabc', chain: 'ETH', candidateChains: [], customerReference: null },
    ...{ level: 'red', score: 92.4, categories, levelReasons: [], scoreIsLowerBound: false },
    ...{ generatedAt: '2026-11-23T09:00:00.123Z', reportUrl: '', jobId: null, jobIndex: null },
    ...{ reportSha256: '', inputs },
  } as unknown as EventData['ReportGenerated'])
}

/** Every entry of the published bundles, read only from files. */
export async function publishedEntries(own: Pick<TransparentLog, 'file'>, size: number): Promise<Buffer[]> {
  const entries: Buffer[] = []
  for (let bundle = 0; entries.length < size; bundle += 1) {
    const width = Math.min(256, size - entries.length)
    const name = `tile/entries/${String(bundle).padStart(3, '0')}${width === 256 ? '' : `.p/${width}`}`
    const bytes = await own.file(name)
    for (let at = 0; at < bytes.length;) {
      const length = bytes.readUInt16BE(at)
      entries.push(bytes.subarray(at + 2, at + 2 + length))
      at += 2 + length
    }
  }
  return entries
}

/** The rows of the witnesses refer to those of the log. */
const TABLES = [
  ...['transparency.log', 'transparency.place', 'transparency.leaf', 'transparency.subtree'],
  'transparency.witness',
  'projection.checkpoint',
]

export async function backUpRows({ installation }: Pick<TransparentLog, 'installation'>): Promise<void> {
  for (const [at, table] of TABLES.entries())
    await installation.database.execute(`CREATE TABLE backup_${at} AS SELECT * FROM ${table}`)
}

export async function restoreRows({ installation }: Pick<TransparentLog, 'installation'>): Promise<void> {
  const { database } = installation
  for (const table of [...TABLES].reverse()) await database.execute(`DELETE FROM ${table}`)
  for (const [at, table] of TABLES.entries())
    await database.execute(`INSERT INTO ${table} OVERRIDING SYSTEM VALUE SELECT * FROM backup_${at}`)
}
