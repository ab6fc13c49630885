/** The event LedgerSegmentImported of a segment. */
import { basename } from 'node:path'
import type { EventData } from '@cupel/contracts'
import { ASSET_TABLE_VERSION } from '@cupel/domain'
import type { ImportRun } from './import-run.js'
import type { SegmentState } from './store-batch.js'

/** Prefix of the counters of rows that are not counted transfers. */
const LEFT_OUT = 'left_out.'

/** Rows that are not counted transfers, by reason. */
export const leftOut = (counts: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(counts).flatMap(([name, count]) =>
      name.startsWith(LEFT_OUT) ? [[name.slice(LEFT_OUT.length), count] as const] : [],
    ),
  )

/** The event of a published segment. */
export function segmentEvent({
  run: { request, chain, sha256, covers },
  state,
  ledgerSeq,
  publishedAt,
  completeToAtS,
}: {
  readonly run: ImportRun
  readonly state: SegmentState
  readonly ledgerSeq: number
  readonly publishedAt: string
  readonly completeToAtS: number | null
}): EventData['LedgerSegmentImported'] {
  return {
    segmentId: String(state.segmentId),
    ledgerSeq,
    chain: chain.code,
    format: request.format,
    fileName: basename(request.file),
    sha256,
    covers,
    completeFrom: request.completeFrom ?? null,
    completeTo: request.completeTo ?? null,
    completeToAt: completeToAtS === null ? null : new Date(completeToAtS * 1_000).toISOString(),
    replaces: request.replace === true,
    rows: state.rowsDone,
    added: state.counts['added'] ?? 0,
    known: state.counts['known'] ?? 0,
    timed: state.counts['timed'] ?? 0,
    retired: state.counts['retired'] ?? 0,
    leftOut: leftOut(state.counts),
    firstHeight: state.firstHeight,
    lastHeight: state.lastHeight,
    assetTableVersion: ASSET_TABLE_VERSION,
    importedAt: publishedAt,
    importedBy: request.importedBy,
    reason: request.reason ?? '',
  }
}
