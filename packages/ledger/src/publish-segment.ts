/** Gives a segment its number, which makes its transfers visible, and writes the event in the same transaction. */
import { requestedEventId, topicOf } from '@cupel/contracts'
import type { Queryable } from '@cupel/postgres'
import { outboxType, writeOutbox } from '@cupel/projections'
import { BLOCKS } from './formats/blocks.js'
import type { ImportRun } from './import-run.js'
import { nothingLeft, segmentEvent, type SegmentStatement } from './segment-event.js'
import { added, notedSums, sumsText } from './row-sums.js'
import { declaredBySegment, SEGMENT_COLUMNS, segmentOf, type SegmentRow } from './segments.js'
import type { SegmentState } from './batch.js'
import { otherPosition } from './other-position.js'

export interface Published {
  readonly ledgerSeq: number
  /** Notes for the operator, in sentences. */
  readonly notes: readonly string[]
}

export async function publishSegment(run: ImportRun, state: SegmentState): Promise<Published> {
  const { request, deps, covers, writer } = run
  const publishedAt = run.now.toISOString()
  return await deps.database.transaction({ at: 'ledger.publish' }, async (transaction) => {
    // All chains share one sequence of numbers, so publications run one after another.
    await transaction.query("SELECT pg_advisory_xact_lock(hashtextextended('cupel.ledger-publish', 0))")
    if (request.replace === true)
      state.counts['retired'] = await writer.retire(transaction, state, { ...request, covers })
    await writer.nameCalls(transaction, state)
    if (request.format === BLOCKS) state.counts['timed'] = await writer.countTimed(transaction, state)
    const rowSums = added(state.rowSums, await notedSums(transaction))
    const [row] = await transaction.query<SegmentRow>(
      `UPDATE ledger.segment SET complete_to_at_s = $2, counts = $3, published_at = $4, row_sums = string_to_array($5, ',')::numeric[],
         ledger_seq = (SELECT coalesce(max(ledger_seq), 0) + 1 FROM ledger.segment)
       WHERE segment_id = $1 AND rows_done = $6 AND ledger_seq IS NULL RETURNING ${SEGMENT_COLUMNS}`,
      [
        state.segmentId,
        request.completeFrom === undefined ? null : state.lastHeightAtS,
        JSON.stringify(state.counts),
        publishedAt,
        sumsText(rowSums),
        state.rowsDone,
      ],
    )
    if (row === undefined) throw otherPosition()
    const segment = segmentOf(row)
    const ledgerSeq = segment.ledgerSeq!
    await announce(transaction, segmentEvent(segment, request.reason ?? ''))
    if (covers.length === 0 || request.history !== undefined)
      return { ledgerSeq, notes: notesOn(state, false) }
    const declared = await declaredBySegment(transaction, { chain: state.chain, ledgerSeq })
    const completeToAtS = declared.find(({ segmentId }) => segmentId === state.segmentId)?.range.toAtS ?? null
    return { ledgerSeq, notes: notesOn(state, completeToAtS === null) }
  })
}

/** For a restore whose operator accepts what the ledger lost: the log states the last segment that is left again. */
export async function stateLedgerAgain(transaction: Queryable, reason: string): Promise<void> {
  const [row] = await transaction.query<SegmentRow>(
    `SELECT ${SEGMENT_COLUMNS} FROM ledger.segment WHERE ledger_seq IS NOT NULL ORDER BY ledger_seq DESC LIMIT 1`,
  )
  await announce(transaction, row === undefined ? nothingLeft(reason) : segmentEvent(segmentOf(row), reason))
}

async function announce(transaction: Queryable, data: SegmentStatement): Promise<void> {
  const id = requestedEventId()
  const envelope = {
    ...{ id, source: 'cupel/ledger', time: new Date().toISOString(), subject: data.segmentId },
    ...{ correlationId: id, causationId: id },
  }
  const type = outboxType('LedgerSegmentImported')
  await writeOutbox(transaction, { type, data, envelope }, { topic: topicOf(type), key: data.chain })
}

function notesOn({ counts }: SegmentState, isWithoutTime: boolean): readonly string[] {
  const contradicted = counts['contradicted'] ?? 0
  return [
    ...(isWithoutTime ? [WITHOUT_TIME] : []),
    ...(contradicted > 0
      ? [`An earlier file proved ${contradicted} transactions that this file calls failed: they still count.`]
      : []),
  ]
}

const WITHOUT_TIME =
  'The end of the range has no time, so it may not count as recent. Import the blocks with --format blocks.'
