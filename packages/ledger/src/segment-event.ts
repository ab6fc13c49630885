/** The event LedgerSegmentImported of a segment. */
import { basename } from 'node:path'
import type { EventData } from '@cupel/contracts'
import { ASSET_TABLE_VERSION } from '@cupel/domain'
import type { ChainDefinition } from './formats/chain.js'
import type { LedgerImportRequest } from './import-request.js'
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
  request,
  chain,
  sha256,
  state,
  covers,
  ledgerSeq,
  publishedAt,
}: {
  readonly request: LedgerImportRequest
  readonly chain: ChainDefinition
  readonly sha256: string
  readonly state: SegmentState
  readonly covers: readonly string[]
  readonly ledgerSeq: number
  readonly publishedAt: string
}): EventData['LedgerSegmentImported'] {
  const declared = request.completeFrom !== undefined
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
    completeToAt:
      declared && state.lastHeightAtS !== null ? new Date(state.lastHeightAtS * 1_000).toISOString() : null,
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
