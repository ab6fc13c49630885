/** Reads the manifests of an archive and checks that each continues those before. Segments are checked when they are read. */
import { placeOf } from '@cupel/event-log'
import type { Verifier } from '@cupel/signing'
import {
  BadManifestError,
  manifestFile,
  MANIFESTS,
  openManifest,
  SEGMENTS,
  sha256Of,
  type ArchivedSchemaVersion,
  type ArchivedTopic,
  type ArchivedTree,
  type Manifest,
  type Segment,
} from './format/manifest.js'
import { MAX_MANIFEST_BYTES } from './limits.js'
import { ArchiveError, type ArchiveStore } from './store.js'

/** A fault and its place. */
export interface ArchiveFault {
  /** Path in the archive. */
  readonly file: string
  /** A sentence. */
  readonly detail: string
  /** ISO 8601: the time of the manifest that names the file, or of the last one before it; null if there is none. */
  readonly since: string | null
  /** The records that the file holds, if it holds records. */
  readonly records?: Pick<Segment, 'topic' | 'partition' | 'first' | 'next'>
}

/** The contents of all manifests together. */
export interface ArchiveContents {
  /** Null if there is no manifest. */
  readonly log: string | null
  /** Number of the last manifest, 0 if there is none. */
  readonly number: number
  /** The trees of all manifests, oldest first, each with the file of its manifest. */
  readonly trees: readonly (ArchivedTree & { readonly file: string })[]
  /** That of the last manifest. */
  readonly tree: ArchivedTree | null
  /** Of the last manifest's file, in hex. */
  readonly sha256: string | null
  readonly time: string | null
  readonly keyId: string | null
  readonly topics: ReadonlyMap<string, ArchivedTopic>
  readonly schemas: ReadonlyMap<number, string>
  readonly versions: readonly ArchivedSchemaVersion[]
  /** In the order of the offsets, by `placeOf`. */
  readonly segments: ReadonlyMap<string, readonly NamedSegment[]>
}

export interface NamedSegment extends Segment {
  /** The time of the manifest that names it. */
  readonly namedAt: string
}

/** The manifests up to the first one that does not belong there, and its fault. */
export async function readManifests(
  store: ArchiveStore,
  verifier: Verifier,
): Promise<{ readonly contents: ArchiveContents; readonly faults: readonly ArchiveFault[] }> {
  const sum = createSum()
  const faults: ArchiveFault[] = []
  for (;;) {
    const file = manifestFile(sum.contents().number + 1)
    try {
      const bytes = await store.read(file, MAX_MANIFEST_BYTES)
      if (bytes === null) break
      const { manifest, keyId } = openManifest(bytes, verifier)
      sum.add(manifest, { sha256: sha256Of(bytes), keyId })
    } catch (error) {
      if (!(error instanceof BadManifestError) && !(error instanceof ArchiveError)) throw error
      const since = sum.contents().time
      faults.push({ file, detail: `${error.message} What follows it is not read.`, since })
      break
    }
  }
  const { number, time: since } = sum.contents()
  const next = manifestFile(number + 1)
  const later = (await store.list()).filter((path) => isManifestFile(path) && path > next)
  if (faults.length === 0 && later.length > 0)
    faults.push({
      ...{ file: next, since },
      detail: `It is missing, and ${later[0]} is there. What follows it is not read.`,
    })
  return { contents: sum.contents(), faults }
}

/** Throws an ArchiveError for the first fault. */
export async function requireManifests(store: ArchiveStore, verifier: Verifier): Promise<ArchiveContents> {
  const { contents, faults } = await readManifests(store, verifier)
  const [fault] = faults
  if (fault === undefined) return contents
  throw new ArchiveError(`${store.place}: ${fault.file}: ${fault.detail}`)
}

export const isManifestFile = (path: string): boolean => new RegExp(`^${MANIFESTS}/\\d{8}\\.json$`).test(path)

/** Whether a run of `create` may have written the file, drafts included. */
export const isOwnFile = (path: string): boolean =>
  new RegExp(`^(?:${MANIFESTS}/\\d{8}\\.json|${SEGMENTS}/[\\w.-]+/\\d+/\\d{16}\\.avro)(?:\\.draft)?$`).test(
    path,
  )

/** Every file that the manifests name, and the manifests' own files. */
export function namedFiles({ number, segments }: ArchiveContents): ReadonlySet<string> {
  const manifests = Array.from({ length: number }, (_, index) => manifestFile(index + 1))
  return new Set([...manifests, ...[...segments.values()].flat().map(({ file }) => file)])
}

/** Files that no manifest names: a current or interrupted run wrote them, or somebody put them there. */
export async function unnamedFiles(
  store: ArchiveStore,
  contents: ArchiveContents,
): Promise<readonly string[]> {
  const named = namedFiles(contents)
  return (await store.list()).filter((path) => !named.has(path))
}

/** Where the next segment of a partition begins. */
export function endOf(
  { segments, topics }: ArchiveContents,
  topic: string,
  partition: number,
): number | undefined {
  return segments.get(placeOf({ topic, partition }))?.at(-1)?.next ?? topics.get(topic)?.starts[partition]
}

function createSum() {
  const topics = new Map<string, ArchivedTopic>()
  const schemas = new Map<number, string>()
  const versions: ArchivedSchemaVersion[] = []
  const segments = new Map<string, NamedSegment[]>()
  const trees: (ArchivedTree & { readonly file: string })[] = []
  let last: { manifest: Manifest; sha256: string; keyId: string } | null = null

  const contents = (): ArchiveContents => ({
    log: last?.manifest.log ?? null,
    number: last?.manifest.number ?? 0,
    tree: last?.manifest.tree ?? null,
    sha256: last?.sha256 ?? null,
    time: last?.manifest.time ?? null,
    keyId: last?.keyId ?? null,
    ...{ topics, schemas, versions, segments, trees },
  })

  function add(manifest: Manifest, { sha256, keyId }: { sha256: string; keyId: string }): void {
    const { number, tree, log } = manifest
    if (number !== (last?.manifest.number ?? 0) + 1)
      throw new BadManifestError(`It is manifest ${number}, in another place.`)
    const before = trees.at(-1)
    if (before !== undefined && !extendsTree(before, tree))
      throw new BadManifestError(
        'It names a tree of the transparency log that does not extend that of the manifest before.',
      )
    if (last !== null && last.manifest.log !== log)
      throw new BadManifestError(`It is one of another log, ${log}.`)
    addTopics(topics, manifest)
    addSchemas(schemas, manifest)
    versions.push(...manifest.versions)
    for (const segment of manifest.segments)
      addSegment(segments, { ...segment, namedAt: manifest.time }, topics)
    if (tree !== null) trees.push({ ...tree, file: manifestFile(number) })
    last = { manifest, sha256, keyId }
  }

  return { add, contents }
}

/** Trees of different sizes are compared where the leaves are known. */
export const extendsTree = (before: ArchivedTree, after: ArchivedTree | null): boolean =>
  after !== null && (after.size > before.size || (after.size === before.size && after.root === before.root))

function addTopics(topics: Map<string, ArchivedTopic>, manifest: Manifest): void {
  for (const [name, { starts }] of topics) {
    const same = manifest.topics.find((topic) => topic.name === name)
    if (same === undefined || same.starts.join() !== starts.join())
      throw new BadManifestError(`It does not have the topic ${name} as the manifest before.`)
  }
  for (const topic of manifest.topics) topics.set(topic.name, topic)
}

function addSchemas(schemas: Map<number, string>, manifest: Manifest): void {
  for (const { id, definition } of manifest.schemas) {
    if (schemas.has(id)) throw new BadManifestError(`It names the schema ${id} again.`)
    schemas.set(id, definition)
  }
  const unknown = manifest.versions.find(({ schemaId }) => !schemas.has(schemaId))
  if (unknown !== undefined)
    throw new BadManifestError(`It names the schema ${unknown.schemaId} and does not have it.`)
}

function addSegment(
  segments: Map<string, NamedSegment[]>,
  segment: NamedSegment,
  topics: ReadonlyMap<string, ArchivedTopic>,
): void {
  const { topic, partition, first, file } = segment
  const place = placeOf({ topic, partition })
  const before = segments.get(place) ?? []
  const begins = before.at(-1)?.next ?? topics.get(topic)?.starts[partition]
  if (begins !== first)
    throw new BadManifestError(
      `${file} begins at offset ${first} of ${place}, and ${begins ?? 'none'} is the next one.`,
    )
  segments.set(place, [...before, segment])
}
