/**
 * Verifies that the log is well-formed: every record is an event of its schema, every report matches its hash, repeats have the
 * same contents, and report ids are in the partitions they name. Nothing is changed.
 */
import type { TopicSpec } from '@cupel/contracts'
import { type LogRange, type Place, placeOf, placesOf, rangeOf } from '@cupel/event-log'
import { inParallel } from '@cupel/projections'
import { problemAt, type Problem } from './problem.js'
import {
  addSignatures,
  noSignatures,
  openSignatureExamination,
  type SignatureParts,
  type SignatureSummary,
} from './report-signatures.js'
import type { ReadingProgress } from './stored-reports.js'
import {
  createPartitionVerifier,
  type PartitionPiece,
  type VerifiedPartition,
  type VerifyPartition,
} from './verify-partition.js'

export interface TopicSummary {
  readonly topic: string
  readonly partitions: number
  readonly records: number
  readonly byType: Readonly<Record<string, number>>
  /** Records with an id that an earlier record has. */
  readonly repeats: number
}

export interface VerifyResult {
  readonly log: string
  readonly topics: readonly TopicSummary[]
  readonly records: number
  /** Distinct report ids, each counted by its first record. */
  readonly reports: number
  readonly failures: number
  readonly repeatedReports: number
  readonly signatures: SignatureSummary
  readonly problemCount: number
  /** The first problems. */
  readonly problems: readonly Problem[]
}

export interface VerifyOptions extends SignatureParts {
  readonly topics: readonly Pick<TopicSpec, 'name'>[]
  /** Topics of dead letters: their records are only counted, because they are stored unchanged. */
  readonly rawTopics: ReadonlySet<string>
  readonly maxProblems: number
  readonly onProgress?: (progress: ReadingProgress) => void
  readonly maxIds?: number
  /** The first offset to verify of each partition, by `topic/partition`; the first of the log by default. */
  readonly since?: ReadonlyMap<string, number>
  /** Verifies one partition, of so many at once; this thread does by default, one after the other. */
  readonly verifyPartition?: VerifyPartition
  readonly atOnce?: number
  /** What an interrupted run verified of its partitions, from the same offsets on. */
  readonly done?: readonly DonePartition[]
  /** Called for each partition in which no problem was found. */
  readonly onDone?: (done: DonePartition) => void
}

export interface DonePartition extends LogRange {
  readonly verified: VerifiedPartition
}

/** Ids in memory at once: 16 MB for ids and 16 MB for digests of their contents. */
const MAX_IDS = 1_000_000

export async function verifyLog(options: VerifyOptions): Promise<VerifyResult> {
  const { log, topics, maxProblems } = options
  const problems: Problem[] = []
  let problemCount = 0
  const found = (some: readonly Problem[], count = some.length): void => {
    problemCount += count
    problems.push(...some.slice(0, maxProblems - problems.length))
  }
  const signatures = noSignatures()
  const totals = { reports: 0, failures: 0, repeatedReports: 0 }
  const pieces = await piecesOf(options)
  const verified = await verifyAll(options, pieces)
  const summaries = topics.map(({ name }): TopicSummary => {
    const own = pieces.filter(({ topic }) => topic === name)
    const tally = { records: 0, byType: {} as Record<string, number>, repeats: 0 }
    for (const piece of own) {
      if (piece.start > 0) found([truncated(piece)])
      const result = verified.get(piece)!
      found(result.problems, result.problemCount)
      addSignatures(signatures, result.signatures)
      addTo(tally, totals, result)
    }
    return { topic: name, partitions: own.length, ...tally }
  })
  return {
    log: await log.identity(),
    topics: summaries,
    records: summaries.reduce((sum, { records }) => sum + records, 0),
    ...totals,
    signatures: (await openSignatureExamination(options)).summary(signatures),
    problemCount,
    problems,
  }
}

interface Piece extends PartitionPiece {
  /** Oldest offset that the log still has. */
  readonly start: number
}

async function piecesOf(options: VerifyOptions): Promise<readonly Piece[]> {
  const { log, topics, rawTopics, maxProblems, maxIds = MAX_IDS, since } = options
  const places = await placesOf(
    log,
    topics.map(({ name }) => name),
  )
  const partitionsOf = (of: string): number => places.filter(({ topic }) => topic === of).length
  return await Promise.all(
    places.map(async (place: Place): Promise<Piece> => {
      const { topic, partition } = place
      const { from: start, to } = await rangeOf(log, place)
      return {
        ...{ topic, partition, partitions: partitionsOf(topic), start, to, maxProblems, maxIds },
        from: Math.min(to, Math.max(start, since?.get(placeOf(place)) ?? 0)),
        isRaw: rawTopics.has(topic),
      }
    }),
  )
}

/** The largest partitions begin first, so that no thread has one left when the others are done. */
async function verifyAll(
  options: VerifyOptions,
  pieces: readonly Piece[],
): Promise<ReadonlyMap<Piece, VerifiedPartition>> {
  const { done = [], onDone, onProgress, atOnce = 1 } = options
  const verify = options.verifyPartition ?? (await createPartitionVerifier(options))
  const verified = new Map<Piece, VerifiedPartition>()
  const total = pieces.reduce((sum, { from, to }) => sum + to - from, 0)
  let records = 0
  const onRecords = (count: number): void => onProgress?.({ records: (records += count), total })
  for (const piece of pieces) {
    const before = done.find((one) => isOf(one, piece))
    if (before === undefined) continue
    verified.set(piece, before.verified)
    onRecords(before.to - before.from)
  }
  const left = pieces.filter((piece) => !verified.has(piece))
  const bySize = left.toSorted((one, other) => other.to - other.from - (one.to - one.from))
  await inParallel(bySize, atOnce, async (piece) => {
    const result = await verify(piece, onRecords)
    verified.set(piece, result)
    const { topic, partition, from, to } = piece
    if (result.problemCount === 0 && piece.start === 0)
      onDone?.({ topic, partition, from, to, verified: result })
  })
  return verified
}

/** Records that came after an interrupted run are left to the next one. */
const isOf = (done: DonePartition, piece: Piece): boolean =>
  done.topic === piece.topic &&
  done.partition === piece.partition &&
  done.from === piece.from &&
  done.to <= piece.to &&
  piece.start === 0

function truncated({ topic, partition, start }: Piece): Problem {
  return problemAt(
    'truncated',
    { topic, partition, offset: start, since: null },
    `The front of the topic is gone: it begins at offset ${start}, and no read model can be built from it.`,
  )
}

function addTo(
  tally: { records: number; byType: Record<string, number>; repeats: number },
  totals: { reports: number; failures: number; repeatedReports: number },
  result: VerifiedPartition,
): void {
  tally.records += result.records
  tally.repeats += result.repeats
  for (const [type, count] of Object.entries(result.byType))
    tally.byType[type] = (tally.byType[type] ?? 0) + count
  for (const name of ['reports', 'failures', 'repeatedReports'] as const) totals[name] += result[name]
}
