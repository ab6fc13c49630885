/**
 * Archives the records that the log has and the archive lacks. A manifest names segments only when the store has all of each. A run that is
 * killed at any moment therefore leaves a valid archive, and the next run continues behind its last manifest.
 */
import { createHash } from 'node:crypto'
import { type EventLog, type LogRecord, placeOf, placesOf, rangeOf } from '@cupel/event-log'
import { failpoint } from '@cupel/kit/failpoints'
import type { Signer, Verifier } from '@cupel/signing'
import { markerOf, openSegmentWriter, sha256OfRecord } from './format/container.js'
import {
  FORMAT,
  manifestFile,
  manifestText,
  segmentFile,
  type ArchivedSchema,
  type ArchivedSchemaVersion,
  type ArchivedTopic,
  type ArchivedTree,
  type Manifest,
  type Segment,
} from './format/manifest.js'
import { storedOf } from './format/record-type.js'
import { MAX_MANIFEST_SEGMENTS, MAX_SEGMENT_BYTES, MAX_SEGMENT_RECORDS } from './limits.js'
import {
  endOf,
  extendsTree,
  isOwnFile,
  requireManifests,
  unnamedFiles,
  type ArchiveContents,
} from './read-archive.js'
import { ArchiveError, type ArchiveStore } from './store.js'

export interface CreateOptions {
  readonly store: ArchiveStore
  /** Includes the records of other producers: an archive holds the log as it is. */
  readonly log: EventLog
  /** Names without prefix. */
  readonly topics: readonly string[]
  /** Topics whose values have no schema id: dead letters and the genesis record. */
  readonly rawTopics: ReadonlySet<string>
  /** Queried before each manifest: a schema is registered before it writes a record. */
  readonly schemas: () => Promise<{
    readonly schemas: readonly ArchivedSchema[]
    readonly versions: readonly ArchivedSchemaVersion[]
  }>
  /** The last signed tree of the transparency log. It must be older than this call: its records are in the log. */
  readonly tree: ArchivedTree | null
  readonly signer: Signer
  /** Verifies everything that the installation ever signed. */
  readonly verifier: Verifier
  readonly now: () => string
  readonly onProgress?: (progress: { readonly records: number; readonly total: number }) => void
  /** For tests: smaller segments than in an installation. */
  readonly limits?: Partial<SegmentLimits>
}

export interface SegmentLimits {
  readonly segmentRecords: number
  readonly segmentBytes: number
  readonly manifestSegments: number
}

export interface Created {
  readonly log: string
  /** Number of the last manifest before this run, and after it; 0 if there is none. */
  readonly numberBefore: number
  readonly number: number
  /** Of the last manifest. */
  readonly tree: ArchivedTree | null
  /** Records that this run added. */
  readonly records: number
  readonly segments: number
  readonly bytes: number
}

const MAGIC_BYTE = 0
const PREFIX_BYTES = 5

/** Throws ArchiveInUseError while another run writes, and ArchiveError if the archive is not the beginning of this log. */
export async function createArchive(options: CreateOptions): Promise<Created> {
  const held = await options.store.hold()
  try {
    return await extend(options)
  } finally {
    await held.release()
  }
}

interface Work {
  readonly topic: string
  readonly partition: number
  readonly from: number
  readonly to: number
}

async function extend(options: CreateOptions): Promise<Created> {
  const { store, log, onProgress } = options
  const contents = await requireManifests(store, options.verifier)
  const identity = await log.identity()
  if (contents.log !== null && contents.log !== identity)
    throw new ArchiveError(
      `${store.place} is an archive of the log ${contents.log}, and this is ${identity}.`,
    )
  if (contents.tree !== null && !extendsTree(contents.tree, options.tree))
    throw new ArchiveError(
      `${store.place} names a tree of the transparency log of ${contents.tree.size} leaves, and the database has ${options.tree?.size ?? 'none'}, which does not extend it: an older database was restored.`,
    )
  const limits = limitsOf(options)
  const unnamed = await cutOffFiles(store, contents, limits)
  const topics = await topicsOf(options, contents)
  const works = await workOf(options, contents, topics)
  const manifests = openManifests(options, { contents, identity, topics })
  // A run that lost its hold may still be at work. Once this manifest takes the place of its next one, that run can no longer name its
  // segments.
  if (unnamed.length > 0 && store.isShared) await manifests.fence()
  // They are removed only now: the log still has their records.
  for (const path of unnamed) await store.remove(path)
  const total = works.reduce((sum, { from, to }) => sum + to - from, 0)
  let done = 0
  let [records, segments, bytes] = [0, 0, 0]
  for (const work of works)
    for await (const segment of writeSegments(options, identity, work, limits)) {
      await manifests.add(segment)
      records += segment.records
      segments += 1
      bytes += segment.bytes
      done += segment.next - segment.first
      onProgress?.({ records: done, total })
    }
  return {
    log: identity,
    numberBefore: contents.number,
    ...(await manifests.end()),
    ...{ records, segments, bytes },
  }
}

function limitsOf({ limits = {} }: CreateOptions): SegmentLimits {
  return {
    segmentRecords: limits.segmentRecords ?? MAX_SEGMENT_RECORDS,
    segmentBytes: limits.segmentBytes ?? MAX_SEGMENT_BYTES,
    manifestSegments: limits.manifestSegments ?? MAX_MANIFEST_SEGMENTS,
  }
}

/** Files of a killed run: no manifest names them, and they are written again. Throws an ArchiveError if other files are there. */
async function cutOffFiles(
  store: ArchiveStore,
  contents: ArchiveContents,
  { manifestSegments }: SegmentLimits,
): Promise<readonly string[]> {
  const unnamed = await unnamedFiles(store, contents)
  const foreign = unnamed.find((path) => !isOwnFile(path))
  if (foreign !== undefined)
    throw new ArchiveError(
      `${store.place} holds ${foreign}, which is not a file of an archive: choose another folder.`,
    )
  // An interrupted run leaves the segments of one manifest, and drafts of one segment and one manifest; so does a run that lost its hold.
  if (unnamed.length > (manifestSegments + 2) * (store.isShared ? 2 : 1))
    throw new ArchiveError(
      `${store.place} holds ${unnamed.length} segments that no manifest names: manifests are missing. Put them back, from a copy of the archive.`,
    )
  return unnamed
}

/** A topic keeps the first offset at which the archive found it. */
async function topicsOf({ log, topics }: CreateOptions, contents: ArchiveContents): Promise<ArchivedTopic[]> {
  const known = [...contents.topics.values()]
  const names = topics.filter((name) => !contents.topics.has(name))
  const added = names.map(async (name): Promise<ArchivedTopic> => {
    const places = await placesOf(log, [name])
    return {
      name,
      starts: await Promise.all(places.map(({ partition }) => log.startOffset(name, partition))),
    }
  })
  return [...known, ...(await Promise.all(added))]
}

/** The new records of each partition. Throws an ArchiveError if the log does not continue the archive. */
async function workOf(
  { store, log }: CreateOptions,
  contents: ArchiveContents,
  topics: readonly ArchivedTopic[],
): Promise<Work[]> {
  const works: Work[] = []
  for (const { name: topic, starts } of topics)
    for (const [partition, start] of starts.entries()) {
      const from = endOf(contents, topic, partition) ?? start
      const place = placeOf({ topic, partition })
      const { from: begins, to } = await rangeOf(log, { topic, partition })
      if (to < from)
        throw new ArchiveError(
          `${place} ends at offset ${to}, and ${store.place} has its records up to ${from}: the log lost records. Put them back from the archive (docs/archive.md).`,
        )
      if (begins > from)
        throw new ArchiveError(
          `${place} begins at offset ${begins}, and ${store.place} ends at ${from}: the records between were deleted. Begin another archive.`,
        )
      await requireSameEnd(log, contents.segments.get(place)?.at(-1), { store, begins })
      if (to > from) works.push({ topic, partition, from, to })
    }
  return works
}

/** The log must have the last record of the archive: another history must never continue it. */
async function requireSameEnd(
  log: EventLog,
  last: Segment | undefined,
  { store, begins }: { store: ArchiveStore; begins: number },
): Promise<void> {
  if (last === undefined) return
  const { topic, partition, next, lastSha256 } = last
  // The log may keep only later records.
  if (begins >= next) return
  let found: LogRecord | undefined
  for await (const records of log.read({ topic, partition, from: next - 1, to: next })) found = records.at(-1)
  if (found !== undefined && sha256OfRecord(storedOf(found)) === lastSha256) return
  throw new ArchiveError(
    `${placeOf({ topic, partition })} has another record before offset ${next} than ${store.place}: the log was changed, or it is another one. Compare them (cupel audit verify, cupel archive verify).`,
  )
}

async function* writeSegments(
  options: CreateOptions,
  identity: string,
  work: Work,
  limits: SegmentLimits,
): AsyncGenerator<Segment> {
  const { topic, partition, from, to } = work
  const isRaw = options.rawTopics.has(topic)
  // Offsets at which a cluster keeps no record belong to the segment of the record behind them.
  let first = from
  let open: OpenSegment | null = null
  try {
    for await (const records of options.log.read({ topic, partition, from, to }))
      for (const record of records) {
        if (open !== null && open.isFull(record, limits)) {
          const segment: Segment = await open.end()
          open = null
          first = segment.next
          yield segment
        }
        open ??= await openSegment(options.store, identity, { topic, partition, first })
        const wait = open.add(record, isRaw)
        if (wait !== null) await wait
      }
    const last: Segment | undefined = await open?.end()
    open = null
    if (last !== undefined) yield last
  } finally {
    await open?.discard()
  }
}

interface OpenSegment {
  isFull(next: LogRecord, limits: SegmentLimits): boolean
  add(record: LogRecord, isRaw: boolean): Promise<void> | null
  end(): Promise<Segment>
  discard(): Promise<void>
}

async function openSegment(
  store: ArchiveStore,
  identity: string,
  place: Pick<Segment, 'topic' | 'partition' | 'first'>,
): Promise<OpenSegment> {
  const { topic, partition, first } = place
  const file = segmentFile(place)
  const draft = await store.create(file)
  const digest = createHash('sha256')
  let [bytes, count, lastOffset] = [0, 0, first]
  const schemaIds = new Set<number>()
  const writer = await openSegmentWriter(markerOf(identity, topic, partition, first), async (piece) => {
    digest.update(piece)
    bytes += piece.length
    await draft.write(piece)
  })
  return {
    isFull: ({ value }, { segmentRecords, segmentBytes }) =>
      count >= segmentRecords || writer.bytes() + value.length > segmentBytes,
    add(record, isRaw) {
      const { value, offset } = record
      if (!isRaw && value.length >= PREFIX_BYTES && value[0] === MAGIC_BYTE)
        schemaIds.add(value.readInt32BE(1))
      count += 1
      lastOffset = offset
      return writer.add(storedOf(record))
    },
    async end() {
      await writer.end()
      failpoint('before', 'archive.segment')
      await draft.put()
      failpoint('after', 'archive.segment')
      return {
        ...{ file, topic, partition, first, next: lastOffset + 1, records: count, bytes },
        ...{ sha256: digest.digest('hex'), lastSha256: writer.lastSha256() },
        schemaIds: [...schemaIds].sort((one, other) => one - other),
      }
    },
    discard: () => draft.discard(),
  }
}

/** Names segments, a number at a time. If only topics or requirements are new, the run still writes its last manifest. */
function openManifests(
  options: CreateOptions,
  {
    contents,
    identity,
    topics,
  }: { contents: ArchiveContents; identity: string; topics: readonly ArchivedTopic[] },
) {
  const { store, signer, now, schemas } = options
  let { number, tree } = contents
  let waiting: Segment[] = []
  const schemaIds = new Set(contents.schemas.keys())
  const versionKey = ({ subject, sha256 }: ArchivedSchemaVersion): string => `${subject} ${sha256}`
  const versions = new Set(contents.versions.map(versionKey))
  let isChanged = topics.length !== contents.topics.size

  async function newSchemas(): Promise<Pick<Manifest, 'schemas' | 'versions'>> {
    const all = await schemas()
    return {
      schemas: all.schemas.filter(({ id }) => !schemaIds.has(id)),
      versions: all.versions.filter((version) => !versions.has(versionKey(version))),
    }
  }

  async function write(added: Pick<Manifest, 'schemas' | 'versions'>): Promise<void> {
    const manifest: Manifest = {
      ...{ format: FORMAT, number: number + 1, time: now(), log: identity, tree: options.tree, topics },
      ...{ ...added, segments: waiting },
    }
    const bytes = Buffer.from(manifestText(manifest, signer))
    const draft = await store.create(manifestFile(number + 1))
    await draft.write(bytes)
    failpoint('before', 'archive.manifest')
    await draft.put({ isNew: true })
    failpoint('after', 'archive.manifest')
    number += 1
    tree = options.tree
    for (const { id } of added.schemas) schemaIds.add(id)
    for (const version of added.versions) versions.add(versionKey(version))
    ;[waiting, isChanged] = [[], false]
  }

  return {
    /** A manifest without segments. */
    fence: async (): Promise<void> => write(await newSchemas()),
    async add(segment: Segment): Promise<void> {
      waiting.push(segment)
      if (waiting.length >= limitsOf(options).manifestSegments) await write(await newSchemas())
    },
    async end(): Promise<Pick<Created, 'number' | 'tree'>> {
      const added = await newSchemas()
      if (waiting.length > 0 || isChanged || added.versions.length > 0) await write(added)
      return { number, tree }
    },
  }
}
