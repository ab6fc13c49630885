/** A log, an archive of it in small segments, and helpers that read both. */
import { join } from 'node:path'
import { topicSpecs } from '@cupel/contracts'
import { type EventLog, type LogRecord, scan } from '@cupel/event-log'
import { isS3Address } from '@cupel/kit/object-store'
import { createSigningKeys, readSigningKeys, type SigningKeys } from '@cupel/signing'
import { openTestInstallation, type TestInstallation } from '@cupel/testkit/installation'
import {
  createArchive,
  openArchiveLog,
  openFolderStore,
  openS3Store,
  readManifests,
  restoreArchive,
  unnamedFiles,
  type ArchiveContents,
  type ArchiveFault,
  type ArchivedTree,
  type ArchiveStore,
  type Created,
  type RestoredArchive,
  type S3StoreOptions,
} from '../src/index.js'

export const TOPIC = 'access.request.events.v1'
export const OTHER_TOPIC = 'access.account.events.v1'
export const topics = topicSpecs.filter(({ name }) => name === TOPIC || name === OTHER_TOPIC)
/** With these limits a small log already has two or more manifests. */
export const limits = { segmentRecords: 20, manifestSegments: 3 }

export interface ArchivedLog {
  readonly installation: TestInstallation
  readonly log: EventLog
  readonly keys: SigningKeys
  readonly keyFile: string
  /** A folder or an address in a store. */
  readonly folder: string
  append(count: number, place?: { readonly topic?: string; readonly partition?: number }): Promise<void>
  create(options?: {
    readonly keys?: SigningKeys
    readonly log?: EventLog
    readonly store?: ArchiveStore
    readonly tree?: ArchivedTree | null
  }): Promise<Created>
  close(): Promise<void>
}

/** The environment names the store of `s3://` in JSON, so that child processes find it too. */
const S3_STORE = 'CUPEL_TEST_S3_STORE'

export function useS3Store(options: S3StoreOptions): void {
  process.env[S3_STORE] = JSON.stringify(options)
}

export const storeOf = (place: string): ArchiveStore =>
  isS3Address(place)
    ? openS3Store(place, JSON.parse(process.env[S3_STORE]!) as S3StoreOptions)
    : openFolderStore(place)

let records = 0

export async function openArchivedLog(place?: string): Promise<ArchivedLog> {
  const installation = await openTestInstallation({ topics })
  const { log } = installation
  const folder = place ?? join(installation.folder, 'archive')
  const keyFile = join(installation.folder, 'archive-keys.json')
  createSigningKeys(keyFile)
  const keys = readSigningKeys(keyFile)
  return {
    ...{ installation, log, keys, keyFile, folder },
    async append(count, { topic = TOPIC, partition = 0 } = {}) {
      const made = Array.from({ length: count }, () => {
        records += 1
        const headers = { ce_time: '2026-11-23T02:00:00.000Z', ce_id: `event ${records}`, 'x-ü': '' }
        return { topic, partition, key: `key ${records}`, value: Buffer.from(`value ${records}`), headers }
      })
      await log.append('test', made)
    },
    create: (options = {}) => runCreate({ log, keys, folder, ...options }),
    close: () => installation.close(),
  }
}

export async function runCreate({
  log,
  keys,
  folder,
  store = storeOf(folder),
  tree = null,
}: {
  readonly log: EventLog
  readonly keys: SigningKeys
  readonly folder: string
  readonly store?: ArchiveStore
  readonly tree?: ArchivedTree | null
}): Promise<Created> {
  return await createArchive({
    ...{ store, log, limits, tree, signer: keys.signer, verifier: keys.verifier },
    topics: topics.map(({ name }) => name),
    rawTopics: new Set(topics.map(({ name }) => name)),
    schemas: () => Promise.resolve({ schemas: [], versions: [] }),
    now: () => '2026-11-23T02:00:00.000Z',
  })
}

export async function runRestore({
  log,
  keys,
  folder,
  topics: names = topics.map(({ name }) => name),
}: {
  readonly log: EventLog
  readonly keys: SigningKeys
  readonly folder: string
  readonly topics?: readonly string[]
}): Promise<RestoredArchive> {
  const store = storeOf(folder)
  const { contents } = await readManifests(store, keys.verifier)
  return await restoreArchive({ store, contents, log, topics: names })
}

export async function recordsOf(log: EventLog): Promise<LogRecord[]> {
  const found: LogRecord[] = []
  for await (const record of scan(log, topics)) found.push(record)
  return found.map(({ topic, partition, offset, key, value, headers }) => {
    return { topic, partition, offset, key, value: Buffer.from(value), headers: { ...headers } }
  })
}

export interface Checked {
  readonly contents: ArchiveContents
  readonly faults: readonly ArchiveFault[]
  readonly records: readonly LogRecord[]
}

/** All faults of the archive, and the records that can be read from it. */
export async function check(folder: string, keys: SigningKeys): Promise<Checked> {
  const store = storeOf(folder)
  const { contents, faults } = await readManifests(store, keys.verifier)
  const found = [...faults]
  if (faults.length === 0)
    for (const file of await unnamedFiles(store, contents))
      found.push({ file, detail: 'It has no name.', since: null })
  if (contents.log === null) return { contents, faults: found, records: [] }
  const log = openArchiveLog({
    ...{ store, contents },
    onDamaged: ({ file, namedAt: since }, { message }) => void found.push({ file, detail: message, since }),
  })
  return { contents, faults: found, records: await recordsOf(log) }
}
