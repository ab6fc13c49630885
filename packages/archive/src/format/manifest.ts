/**
 * The content of a manifest, and the file that holds it. Each names the tree of the transparency log when the run began, so that the end of
 * an archive is known by the size of that tree.
 */
import { hash } from 'node:crypto'
import { openNote, signNote, UnsignedNoteError, type Signer, type Verifier } from '@cupel/signing'

export const FORMAT = 'cupel-archive-1'

/** A range of one partition: every record of the log with `first` ≤ offset < `next`. */
export interface Segment {
  /** Its path in the archive. */
  readonly file: string
  readonly topic: string
  readonly partition: number
  readonly first: number
  readonly next: number
  /** Fewer than the offsets in the range only if a Kafka cluster keeps records of its own in the partition. */
  readonly records: number
  readonly bytes: number
  /** SHA-256 of the file, in hex. */
  readonly sha256: string
  /** SHA-256 of the last encoded record: an archive continues only behind the record that it ends with. */
  readonly lastSha256: string
  /** Ids of the schemas that its records name, ascending. */
  readonly schemaIds: readonly number[]
}

export interface ArchivedTopic {
  readonly name: string
  /** The first offset of each partition; above 0 if the log had lost the records before it. It never changes. */
  readonly starts: readonly number[]
}

export interface ArchivedSchema {
  readonly id: number
  readonly definition: string
}

export interface ArchivedSchemaVersion {
  readonly subject: string
  readonly sha256: string
  readonly schemaId: number
}

export interface Manifest {
  readonly format: typeof FORMAT
  /** From 1, without gaps. */
  readonly number: number
  /** When it was signed: UTC, RFC 3339. */
  readonly time: string
  /** Identity of the log. */
  readonly log: string
  /** The last signed tree of the transparency log when the run began: the archive has every record of its leaves. Null without one. */
  readonly tree: ArchivedTree | null
  /** All topics. */
  readonly topics: readonly ArchivedTopic[]
  /** Schemas that are new with this manifest. */
  readonly schemas: readonly ArchivedSchema[]
  readonly versions: readonly ArchivedSchemaVersion[]
  readonly segments: readonly Segment[]
}

export interface ArchivedTree {
  /** Number of leaves. */
  readonly size: number
  /** In base64. */
  readonly root: string
}

/** The file is not a manifest, or not the one that belongs there. The message is a sentence. */
export class BadManifestError extends Error {
  override readonly name = 'BadManifestError'
}

export const sha256Of = (bytes: Uint8Array): string => hash('sha256', bytes, 'hex')

/** The text of the file: one line of JSON. The note is signed over number and hash, under a name that no checkpoint has. */
export function manifestText(manifest: Manifest, signer: Signer): string {
  const note = signNote(noteText(signer.key.name, manifest), signer)
  return `${JSON.stringify({ manifest, note })}\n`
}

function noteText(name: string, manifest: Manifest): string {
  const digest = hash('sha256', JSON.stringify(manifest), 'base64')
  return `${name}/archive/${manifest.log}\n${manifest.number}\n${digest}\n`
}

/** The manifest of a file, signed by a known key. Throws BadManifestError. */
export function openManifest(bytes: Buffer, verifier: Verifier): { manifest: Manifest; keyId: string } {
  const text = bytes.toString()
  const parsed = parse(text)
  // A second spelling would be a second file with one signature.
  if (parsed === null || `${JSON.stringify(parsed)}\n` !== text || !Buffer.from(text).equals(bytes))
    throw new BadManifestError('It is not a manifest of an archive.')
  const { manifest, note } = parsed
  try {
    const { text: signed, keyId, keyName } = openNote(note, verifier)
    if (signed !== noteText(keyName, manifest))
      throw new BadManifestError('The signature is of another manifest.')
    return { manifest, keyId }
  } catch (error) {
    if (error instanceof UnsignedNoteError) throw new BadManifestError(error.message)
    throw error
  }
}

function parse(text: string): { manifest: Manifest; note: string } | null {
  try {
    const parsed = JSON.parse(text) as { manifest: Manifest; note: unknown }
    const { manifest, note } = parsed
    return isManifest(manifest) && isText(note) && Object.keys(parsed).join() === 'manifest,note'
      ? { manifest, note: note as string }
      : null
  } catch {
    // The caller reports that it is none.
    return null
  }
}

function isManifest(manifest: Manifest): boolean {
  return (
    manifest.format === FORMAT &&
    isWhole(manifest.number) &&
    [manifest.time, manifest.log].every(isText) &&
    (manifest.tree === null || (isWhole(manifest.tree.size) && isText(manifest.tree.root))) &&
    manifest.topics.every(({ name, starts }) => isText(name) && starts.every(isWhole)) &&
    manifest.schemas.every(({ id, definition }) => Number.isInteger(id) && isText(definition)) &&
    manifest.versions.every(
      ({ subject, sha256, schemaId }) => isText(subject) && isText(sha256) && Number.isInteger(schemaId),
    ) &&
    manifest.segments.every(isSegment)
  )
}

function isSegment(segment: Segment): boolean {
  const { topic, partition, first, next, records, bytes } = segment
  return (
    isText(topic) &&
    [partition, first, next, records, bytes].every(isWhole) &&
    next > first &&
    records >= 1 &&
    records <= next - first &&
    isText(segment.sha256) &&
    isText(segment.lastSha256) &&
    segment.schemaIds.every((id) => Number.isInteger(id)) &&
    segment.file === segmentFile(segment)
  )
}

const isText = (value: unknown): boolean => typeof value === 'string'
const isWhole = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0

export const MANIFESTS = 'manifests'
export const SEGMENTS = 'segments'
const NUMBER_DIGITS = 8
const OFFSET_DIGITS = 16

export const manifestFile = (number: number): string =>
  `${MANIFESTS}/${String(number).padStart(NUMBER_DIGITS, '0')}.json`

/** The path states the content of the file. Topic names have no other characters; a name with others would leave the folder. */
export function segmentFile({
  topic,
  partition,
  first,
}: Pick<Segment, 'topic' | 'partition' | 'first'>): string {
  if (!/^[a-z0-9][a-z0-9._-]*$/i.test(topic))
    throw new BadManifestError(`${JSON.stringify(topic)} is not a name of a topic.`)
  return `${SEGMENTS}/${topic}/${partition}/${String(first).padStart(OFFSET_DIGITS, '0')}.avro`
}
