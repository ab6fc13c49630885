/** The work of `cupel audit`, with the connections of one thread. */
import type { ReadArchive } from '@cupel/command-line/installation'
import { parseVerifierKey } from '@cupel/signing'
import {
  compareLatestReports,
  compareReadModel,
  createPartitionVerifier,
  createRangeDecider,
  type PartitionPiece,
  type Problem,
  type RangeQuestion,
  type RangeSource,
  type RangeTally,
  type ReportRange,
  type VerifiedPartition,
} from '../../proofs/index.js'
import { createRunComparison, type ComparedRun, type LeafRun } from '../../transparency/index.js'

/** What a thread is asked, and its result. */
export interface AuditWork {
  /** A partition to verify. */
  readonly partition: {
    readonly order: PartitionPiece
    /** With the faults of the files of an archive that the thread read so far. */
    readonly result: { readonly verified: VerifiedPartition; readonly faults: ReadArchive['faults'] }
  }
  /** Records to compare with their leaves. */
  readonly run: { readonly order: LeafRun; readonly result: ComparedRun }
  /** A read model to build anew and to compare. */
  readonly readModel: { readonly order: string; readonly result: readonly Problem[] }
  /** The topic of the latest reports to compare. */
  readonly latestReports: { readonly order: null; readonly result: readonly Problem[] }
  /** Reports of a partition to decide again. */
  readonly range: { readonly order: ReportRange; readonly result: RangeTally }
}

export type AuditTask =
  | {
      readonly kind: 'verify'
      /** Verifier keys; null for those that the log names. */
      readonly publicKeys: readonly string[] | null
      readonly beforeKeys: ReadonlyMap<string, number>
    }
  | { readonly kind: 'recompute'; readonly question: RangeQuestion }

export interface AuditOrder {
  readonly kind: keyof AuditWork
  readonly order: AuditWork[keyof AuditWork]['order']
}

export type AuditSource = RangeSource & { readonly faults?: () => ReadArchive['faults'] }

type Work = {
  readonly [Kind in keyof AuditWork]?: (
    order: AuditWork[Kind]['order'],
    onRecords: (records: number) => void,
  ) => Promise<AuditWork[Kind]['result']>
}

/** The kind of an order says what it is. */
type Run = (
  order: unknown,
  onRecords: (records: number) => void,
) => Promise<AuditWork[keyof AuditWork]['result']>

export async function createAuditWork(source: AuditSource, task: AuditTask) {
  const work = task.kind === 'recompute' ? deciding(source, task) : await verifying(source, task)
  return async ({ kind, order }: AuditOrder, onRecords: (records: number) => void) =>
    await (work[kind] as Run)(order, onRecords)
}

function deciding(source: AuditSource, { question }: AuditTask & { readonly kind: 'recompute' }): Work {
  const decider = createRangeDecider(source, question)
  return { range: (range, onRecords) => decider.decide(range, onRecords) }
}

async function verifying(
  source: AuditSource,
  { publicKeys, beforeKeys }: AuditTask & { readonly kind: 'verify' },
): Promise<Work> {
  const trusted = publicKeys?.flatMap((key) => parseVerifierKey(key) ?? []) ?? null
  const verify = await createPartitionVerifier({ ...source, publicKeys: trusted, beforeKeys })
  // An archive has no tables, and gets no order about them.
  const withDatabase = { ...source, database: source.database! }
  return {
    partition: async (piece, onRecords) => ({
      verified: await verify(piece, onRecords),
      faults: source.faults?.() ?? [],
    }),
    run: await createRunComparison(source),
    readModel: (name) => compareReadModel(name, withDatabase),
    latestReports: () => compareLatestReports(withDatabase),
  }
}
