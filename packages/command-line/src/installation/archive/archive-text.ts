/** The findings about the files of an archive, for people and programs. */
import type { ArchivedTree, ArchiveFault } from '@cupel/archive'
import { snakeCase, sinceText } from '../../index.js'
import type { OpenedArchive } from './open-archive.js'

export interface ReadArchive {
  readonly folder: string
  readonly manifests: number
  readonly tree: ArchivedTree | null
  readonly time: string | null
  readonly keyId: string | null
  readonly segments: number
  /** Files of a run of `create` that is at work. */
  readonly pending: number
  readonly faults: readonly ArchiveFault[]
}

const MEANING = 'The archive does not hold what the installation signed: take another copy, or make one anew.'

/** Faults that are listed; all are counted. */
const MAX_FAULTS = 200

export function readArchive({ folder, contents, pending, faults }: OpenedArchive): ReadArchive {
  const { number, tree, time, keyId, segments } = contents
  const count = [...segments.values()].reduce((sum, { length }) => sum + length, 0)
  return {
    folder,
    manifests: number,
    ...{ tree, time, keyId },
    segments: count,
    pending: pending.length,
    faults: faults(),
  }
}

export function archiveJson({ faults, ...archive }: ReadArchive): unknown {
  return {
    ...snakeCase(archive),
    fault_count: faults.length,
    faults: faults
      .slice(0, MAX_FAULTS)
      .map(({ records, ...fault }) => ({ ...fault, meaning: MEANING, ...records })),
  }
}

export function archiveLines({
  folder,
  manifests,
  tree,
  time,
  keyId,
  segments,
  pending,
  faults,
}: ReadArchive): string[] {
  const lines = [
    `Archive ${folder}: ${count(manifests)} manifests, the last of ${time} signed by ${keyId}, and ${count(segments)} segments.`,
    `  It has the records of ${treeText(tree)}.`,
  ]
  if (pending > 0)
    lines.push(
      `  A run of \`cupel archive create\` is at work: its ${count(pending)} files are not in a manifest yet and were not read.`,
    )
  for (const { file, detail, since, records } of faults.slice(0, MAX_FAULTS)) {
    const place =
      records === undefined
        ? ''
        : ` It holds ${records.topic}/${records.partition} at ${records.first} to ${records.next - 1}.`
    lines.push(`  archive: ${file}: ${detail}${place}${sinceText(since)}`)
  }
  if (faults.length > MAX_FAULTS) lines.push(`  … and ${count(faults.length - MAX_FAULTS)} more`)
  if (faults.length > 0) lines.push(`  archive means: ${MEANING}`)
  lines.push('Not compared with read models: an archive is read without the database.')
  return lines
}

export const treeText = (tree: ArchivedTree | null): string =>
  tree === null
    ? 'no signed tree of the transparency log'
    : `the first ${count(tree.size)} leaves of the transparency log, root ${tree.root}`

const count = (value: number): string => value.toLocaleString('en-US')
