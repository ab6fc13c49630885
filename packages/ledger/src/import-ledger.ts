/**
 * Imports a file of transfers. Each batch is stored together with its position in the file, so that an interrupted import
 * continues there. No transfer is visible before the segment gets its number; then all are visible at once.
 */
import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { requestedEventId, topicOf } from '@cupel/contracts'
import { ASSET_TABLE_VERSION, uncountedReason } from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'
import { writeOutbox } from '@cupel/projections'
import { openChain, type ChainDefinition } from './formats/chain.js'
import { ledgerFormatNames, ledgerFormats } from './formats/formats.js'
import { LedgerFileError } from './formats/ledger-file-error.js'
import type { FileRecord, LedgerFormat } from './formats/ledger-row.js'
import { fileSha256, readRecords } from './formats/read-file.js'
import { createBatch, isFull, storeBatch, type Batch, type SegmentState } from './store-batch.js'
import type {
  LedgerImportDeps,
  LedgerImportRequest,
  LedgerImportResult,
  LedgerImportSummary,
} from './import-request.js'
import { leftOut, segmentEvent } from './segment-event.js'
import { createIdentities, nativeTransferId } from './transfer-identity.js'

const LOCK = 'cupel.ledger-import/'

/** Imports one file. A fault of the file or the request is a result, not an error; importing again is always safe. */
export async function importLedger(
  request: LedgerImportRequest,
  deps: LedgerImportDeps,
): Promise<LedgerImportResult> {
  try {
    const chain = openChain(request.chain)
    const format = ledgerFormats[request.format]
    if (chain === undefined) throw new LedgerFileError(`The chain ${request.chain} is unknown`, null)
    if (format === undefined)
      throw new LedgerFileError(`The format is one of ${ledgerFormatNames.join(', ')}`, null)
    checkRange(request)
    const sha256 = await fileSha256(request.file)
    return await deps.database.withConnection(async (connection) => {
      // One import per chain at a time, because an import may take over the rows of a killed one.
      await connection.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [LOCK + chain.code])
      try {
        return await runImport({ request, deps, chain, format, sha256 })
      } finally {
        await connection.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [LOCK + chain.code])
      }
    })
  } catch (error) {
    if (!(error instanceof LedgerFileError)) throw error
    const place = error.line === null ? '' : `line ${error.line}: `
    return { status: 'refused', message: place + error.message, line: error.line }
  }
}

function checkRange({ completeFrom, completeTo, replace }: LedgerImportRequest): void {
  if ((completeFrom === undefined) !== (completeTo === undefined))
    throw new LedgerFileError('--complete-from and --complete-to go together', null)
  if (completeFrom !== undefined && completeFrom > completeTo!)
    throw new LedgerFileError('--complete-from is beyond --complete-to', null)
  if (replace === true && completeFrom === undefined)
    throw new LedgerFileError(
      '--replace needs the range that the file holds: --complete-from and --complete-to',
      null,
    )
}

interface Run {
  readonly request: LedgerImportRequest
  readonly deps: LedgerImportDeps
  readonly chain: ChainDefinition
  readonly format: LedgerFormat
  readonly sha256: string
}

async function runImport(run: Run): Promise<LedgerImportSummary> {
  const startedAt = performance.now()
  const begun = await beginSegment(run)
  if (begun.ledgerSeq !== null)
    return summary(run, begun.state, begun.ledgerSeq, 'already-imported', begun.state.rowsDone, startedAt)
  const { state } = begun
  const resumedAt = state.rowsDone
  const covers = await storeRows(run, state, resumedAt, startedAt)
  const ledgerSeq = await publish(run, state, covers)
  return summary(run, state, ledgerSeq, 'imported', resumedAt, startedAt)
}

/** The segment of this file: a new one, an interrupted one, or the published one. */
async function beginSegment({
  request,
  deps,
  chain,
  sha256,
}: Run): Promise<{ state: SegmentState; ledgerSeq: number | null }> {
  const rows = await deps.database.transaction({ at: 'ledger.segment' }, async (transaction) => {
    await transaction.execute(
      `INSERT INTO ledger.segment (chain, format, file_name, sha256, covers, complete_from, complete_to, replaces,
         asset_table_version, imported_by)
       VALUES ($1, $2, $3, $4, '{}', $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING`,
      [
        chain.code,
        request.format,
        basename(request.file),
        sha256,
        request.completeFrom ?? null,
        request.completeTo ?? null,
        request.replace === true,
        ASSET_TABLE_VERSION,
        request.importedBy,
      ],
    )
    return await transaction.query<{
      segment_id: number
      ledger_seq: number | null
      rows_done: number
      counts: Record<string, number>
      first_height: number | null
      last_height: number | null
      last_at_s: number | null
    }>(
      `SELECT segment_id, ledger_seq, rows_done, counts, first_height, last_height, last_at_s FROM ledger.segment
       WHERE chain = $1 AND format = $2 AND sha256 = $3 AND replaces = $4
         AND complete_from IS NOT DISTINCT FROM $5 AND complete_to IS NOT DISTINCT FROM $6`,
      [
        chain.code,
        request.format,
        sha256,
        request.replace === true,
        request.completeFrom ?? null,
        request.completeTo ?? null,
      ],
    )
  })
  const row = rows[0]!
  const state: SegmentState = {
    segmentId: row.segment_id,
    replaces: request.replace === true,
    rowsDone: row.rows_done,
    counts: row.counts,
    firstHeight: row.first_height,
    lastHeight: row.last_height,
    lastHeightAtS: row.last_at_s,
  }
  return { state, ledgerSeq: row.ledger_seq }
}

/** Continues after the stored rows. One batch is stored while the next is read. */
async function storeRows(
  run: Run,
  state: SegmentState,
  resumedAt: number,
  startedAt: number,
): Promise<readonly string[]> {
  const { request, deps, chain, format, sha256 } = run
  const hash = createHash('sha256')
  const identityOf = createIdentities(chain.code)
  let covers: readonly string[] | null = null
  let row = 0
  let batch = createBatch(state.segmentId)
  let storing: Promise<void> = Promise.resolve()
  const store = async (full: Batch): Promise<void> => {
    await storing
    storing = storeBatch(deps.database, full, state).then(() => {
      const seconds = (performance.now() - startedAt) / 1_000
      deps.onProgress?.(state.rowsDone, Math.round((state.rowsDone - resumedAt) / Math.max(seconds, 0.001)))
    })
    // The next await reports a failure; until then the rejection must not count as unhandled.
    storing.catch(() => undefined)
  }
  for await (const records of readRecords(request.file, hash)) {
    covers ??= coversOf(records[0]!, format, chain)
    for (const record of records) {
      row += 1
      // Stored rows are read again too: rows without a hash are numbered among equal rows.
      takeRecord({ record, chain, format, request, identityOf }, row > resumedAt ? batch : null)
      if (row > resumedAt) batch.rows += 1
      if (!isFull(batch)) continue
      await store(batch)
      batch = createBatch(state.segmentId)
    }
  }
  await store(batch)
  await storing
  if (hash.digest('hex') !== sha256)
    throw new LedgerFileError('The file changed while it was read; import it again', null)
  return covers ?? format.covers(new Set(), chain)
}

/** All records of a file have the same columns. */
const coversOf = (record: FileRecord, format: LedgerFormat, chain: ChainDefinition): readonly string[] =>
  format.covers(new Set(COLUMN_NAMES.filter((name) => record.has(name))), chain)

/** Columns that identify the kind of a file. */
const COLUMN_NAMES = ['token_address', 'trace_type', 'gas_price', 'cumulative_gas_used'] as const

function takeRecord(
  {
    record,
    chain,
    format,
    request,
    identityOf,
  }: {
    readonly record: FileRecord
    readonly chain: ChainDefinition
    readonly format: LedgerFormat
    readonly request: LedgerImportRequest
    readonly identityOf: ReturnType<typeof createIdentities>
  },
  batch: Batch | null,
): void {
  for (const one of format.read(record, chain)) {
    if (one.type === 'left-out') {
      batch?.leaveOut(one.reason)
      continue
    }
    if (one.type === 'outcome') {
      batch?.addOutcome(nativeTransferId(chain.code, one.outcome.txHash), one.outcome.succeeded)
      continue
    }
    const { transfer } = one
    if (request.replace === true && !isWithin(transfer.blockNumber, request))
      throw new LedgerFileError('a transfer outside the range that the file is to replace', transfer.line)
    const reason = uncountedReason(chain.code, transfer)
    if (reason !== null) batch?.leaveOut(reason)
    else {
      const id = identityOf(transfer)
      batch?.addTransfer(id, transfer, isWithin(transfer.blockNumber, request))
    }
  }
}

/** Whether a height is in the declared range; always true without a declaration. */
function isWithin(height: number | null, { completeFrom, completeTo }: LedgerImportRequest): boolean {
  if (completeFrom === undefined) return true
  return height !== null && height >= completeFrom && height <= completeTo!
}

/** Gives the segment its number, which makes its transfers visible, and writes the event in the same transaction. */
async function publish(
  { request, deps, chain, sha256 }: Run,
  state: SegmentState,
  covers: readonly string[],
): Promise<number> {
  const publishedAt = (deps.now?.() ?? new Date()).toISOString()
  return await deps.database.transaction({ at: 'ledger.publish' }, async (transaction) => {
    // All chains share one sequence of numbers, so publications run one after another.
    await transaction.query("SELECT pg_advisory_xact_lock(hashtextextended('cupel.ledger-publish', 0))")
    if (request.replace === true)
      state.counts['retired'] = await retireOthers(transaction, chain.code, request, state, covers)
    const [row] = await transaction.query<{ ledger_seq: number }>(
      `UPDATE ledger.segment SET covers = $2, complete_to_at_s = $3, counts = $4, published_at = $5,
         ledger_seq = (SELECT coalesce(max(ledger_seq), 0) + 1 FROM ledger.segment)
       WHERE segment_id = $1 RETURNING ledger_seq`,
      [
        state.segmentId,
        covers,
        request.completeFrom === undefined ? null : state.lastHeightAtS,
        JSON.stringify(state.counts),
        publishedAt,
      ],
    )
    const ledgerSeq = row!.ledger_seq
    const data = segmentEvent({ request, chain, sha256, state, covers, ledgerSeq, publishedAt })
    const id = requestedEventId()
    const envelope = {
      id,
      source: 'cupel/ledger',
      time: publishedAt,
      subject: data.segmentId,
      correlationId: id,
      causationId: id,
    }
    const type = 'LedgerSegmentImported'
    await writeOutbox(transaction, { type, data, envelope }, { topic: topicOf(type), key: chain.code })
    return ledgerSeq
  })
}

/** Kinds of stored transfers that the declared range covers. */
const storedKinds: Readonly<Record<string, readonly string[]>> = {
  native: ['native', 'utxo'],
  internal: ['internal'],
  token: ['token'],
}

/** Retires the transfers of the range that the file does not contain: their blocks were reorganised away. */
async function retireOthers(
  transaction: Queryable,
  chain: string,
  { completeFrom, completeTo }: LedgerImportRequest,
  { segmentId }: SegmentState,
  covers: readonly string[],
): Promise<number> {
  return await transaction.execute(
    `UPDATE ledger.transfer SET retired_segment_id = $2
     WHERE chain = $1 AND block_number BETWEEN $3 AND $4 AND seen_segment_id <> $2 AND retired_segment_id IS NULL
       AND kind = ANY ($5::text[])`,
    [chain, segmentId, completeFrom, completeTo, covers.flatMap((kind) => storedKinds[kind] ?? [])],
  )
}

function summary(
  { chain, sha256 }: Run,
  state: SegmentState,
  ledgerSeq: number,
  status: LedgerImportSummary['status'],
  resumedAt: number,
  startedAt: number,
): LedgerImportSummary {
  const durationMs = Math.round(performance.now() - startedAt)
  return {
    status,
    segmentId: state.segmentId,
    ledgerSeq,
    chain: chain.code,
    sha256,
    rows: state.rowsDone,
    added: state.counts['added'] ?? 0,
    known: state.counts['known'] ?? 0,
    retired: state.counts['retired'] ?? 0,
    leftOut: leftOut(state.counts),
    firstHeight: state.firstHeight,
    lastHeight: state.lastHeight,
    resumedAt,
    durationMs,
    rowsPerSecond: Math.round((state.rowsDone - resumedAt) / Math.max(durationMs / 1_000, 0.001)),
  }
}
