/** A log, an archive of it in small segments, and what a test reads of both. */
import { join } from 'node:path'
import { topicSpecs } from '@cupel/contracts'
import type { EventLog, LogRecord } from '@cupel/event-log'
import { createSigningKeys, readSigningKeys, type SigningKeys } from '@cupel/signing'
import { openTestInstallation, type TestInstallation } from '@cupel/testkit/installation'
import {
  createArchive,
  openArchiveLog,
  openFolderStore,
  readManifests,
  restoreArchive,
  unnamedFiles,
  type ArchiveContents,
  type ArchiveFault,
  type Created,
  type RestoredArchive,
} from '../src/index.js'

export const TOPIC = 'access.request.events.v1'
export const OTHER_TOPIC = 'access.account.events.v1'
export const topics = topicSpecs.filter(({ name }) => name === TOPIC || name === OTHER_TOPIC)
/** Two manifests and more already for a small log. */
export const limits = { segmentRecords: 20, manifestSegments: 3 }

export interface ArchivedLog {
  readonly installation: TestInstallation
  readonly log: EventLog
  readonly keys: SigningKeys
  readonly keyFile: string
  readonly folder: string
  append(count: number, place?: { readonly topic?: string; readonly partition?: number }): Promise<void>
  create(options?: { readonly keys?: SigningKeys; readonly log?: EventLog }): Promise<Created>
  close(): Promise<void>
}

let records = 0

export async function openArchivedLog(): Promise<ArchivedLog> {
  const installation = await openTestInstallation({ topics })
  const { log } = installation
  const folder = join(installation.folder, 'archive')
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
}: {
  readonly log: EventLog
  readonly keys: SigningKeys
  readonly folder: string
}): Promise<Created> {
  return await createArchive({
    ...{ store: openFolderStore(folder), log, limits, signer: keys.signer, verifier: keys.verifier },
    topics: topics.map(({ name }) => name),
    rawTopics: new Set(topics.map(({ name }) => name)),
    schemas: () => Promise.resolve({ schemas: [], versions: [] }),
    required: { macs: [], signatures: [] },
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
  const store = openFolderStore(folder)
  const { contents } = await readManifests(store, keys.verifier)
  return await restoreArchive({ store, contents, log, topics: names })
}

export async function recordsOf(log: EventLog): Promise<LogRecord[]> {
  const found: LogRecord[] = []
  for (const { name: topic } of topics)
    for (let partition = 0; partition < (await log.partitionCount(topic)); partition += 1) {
      const [from, to] = await Promise.all([
        log.startOffset(topic, partition),
        log.endOffset(topic, partition),
      ])
      for await (const batch of log.read({ topic, partition, from, to })) found.push(...batch)
    }
  return found.map(({ topic, partition, offset, key, value, headers }) => {
    return { topic, partition, offset, key, value: Buffer.from(value), headers: { ...headers } }
  })
}

export interface Checked {
  readonly contents: ArchiveContents
  readonly faults: readonly ArchiveFault[]
  readonly records: readonly LogRecord[]
}

/** Everything that is wrong with the archive, and the records that can be read of it. */
export async function check(folder: string, keys: SigningKeys): Promise<Checked> {
  const store = openFolderStore(folder)
  const { contents, faults } = await readManifests(store, keys.verifier)
  const found = [...faults]
  if (faults.length === 0)
    for (const file of await unnamedFiles(store, contents)) found.push({ file, detail: 'It has no name.' })
  if (contents.log === null) return { contents, faults: found, records: [] }
  const log = openArchiveLog({
    ...{ store, contents },
    onDamaged: ({ file }, { message }) => void found.push({ file, detail: message }),
  })
  return { contents, faults: found, records: await recordsOf(log) }
}
