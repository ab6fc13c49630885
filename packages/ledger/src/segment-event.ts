/** The event LedgerSegmentImported of a segment. */
import type { EventData } from '@cupel/contracts'
import type { HistoryFacts, Segment } from './segments.js'

export type SegmentStatement = EventData['LedgerSegmentImported']

/** Prefix of the counters of rows that are not counted transfers. */
const LEFT_OUT = 'left_out.'

/** Rows that are not counted transfers, by reason. */
export const leftOut = (counts: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(counts).flatMap(([name, count]) =>
      name.startsWith(LEFT_OUT) ? [[name.slice(LEFT_OUT.length), count] as const] : [],
    ),
  )

/** The event of a published segment: it states every value of the row, so that an altered row is found. */
export function segmentEvent(segment: Segment, reason: string): SegmentStatement {
  const { chain, format, fileName, sha256, covers, completeFrom, completeTo, completeToAtS } = segment
  const { replaces, counts, firstHeight, lastHeight, assetTableVersion, importedBy, rowSums } = segment
  return {
    segmentId: String(segment.segmentId),
    ledgerSeq: segment.ledgerSeq!,
    ...{ chain, format, fileName, sha256, covers, completeFrom, completeTo },
    completeToAt: completeToAtS === null ? null : new Date(completeToAtS * 1_000).toISOString(),
    replaces,
    rows: segment.rowsDone,
    added: counts['added'] ?? 0,
    known: counts['known'] ?? 0,
    timed: counts['timed'] ?? 0,
    retired: counts['retired'] ?? 0,
    leftOut: leftOut(counts),
    ...{ firstHeight, lastHeight, assetTableVersion, importedBy, reason, rowSums },
    importedAt: segment.publishedAt!,
    history: segment.history === null ? null : statedHistory(segment.history),
  }
}

const statedHistory = ({
  address,
  provider,
  height,
  hash,
  atS,
  incomplete,
}: HistoryFacts): SegmentStatement['history'] => ({
  ...{ address, provider, height, hash, incomplete },
  at: new Date(atS * 1_000).toISOString(),
})

/** The number that is stated if no segment is left. */
export const NOTHING_LEFT = 0

export const nothingLeft = (reason: string): SegmentStatement => ({
  ...{ segmentId: '', ledgerSeq: NOTHING_LEFT, chain: '', format: '', fileName: '', sha256: '', covers: [] },
  ...{
    completeFrom: null,
    completeTo: null,
    completeToAt: null,
    replaces: false,
    rows: 0,
    added: 0,
    known: 0,
  },
  ...{ timed: 0, retired: 0, leftOut: {}, firstHeight: null, lastHeight: null, assetTableVersion: '' },
  ...{ importedAt: '', importedBy: '', reason, rowSums: '', history: null },
})
