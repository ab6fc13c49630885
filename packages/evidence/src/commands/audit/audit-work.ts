/** The work of `cupel audit`, with the connections of one thread. */
import type { ReadArchive } from '@cupel/command-line/installation'
import { parseVerifierKey } from '@cupel/signing'
import {
  compareLatestReports,
  compareReadModel,
  createPartitionVerifier,
  createRangeDecider,
  type RangeSource,
} from '../../proofs/index.js'
import { createRunComparison } from '../../transparency/index.js'
import type { AuditOrder, AuditTask, AuditWork } from './audit-threads.js'

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
