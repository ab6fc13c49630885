/**
 * Imports a file of transfers. Each batch is stored together with its position in the file, so that an interrupted import
 * continues there. No transfer is visible before the segment gets its number; then all are visible at once.
 */
import { basename } from 'node:path'
import { ASSET_TABLE_VERSION } from '@cupel/domain'
import type { Database, Queryable } from '@cupel/postgres'
import { declaredKinds, historyKinds } from './declared-range.js'
import { openChain } from './formats/chain.js'
import { ledgerFormatNames, ledgerFormats } from './formats/formats.js'
import { LedgerFileError } from './formats/ledger-file-error.js'
import { fileSha256 } from './formats/file-sha256.js'
import type {
  LedgerImportDeps,
  LedgerImportRequest,
  LedgerImportResult,
  LedgerImportSummary,
} from './import-request.js'
import { importLockOf } from './import-lock.js'
import type { ImportRun } from './import-run.js'
import { publishSegment } from './publish-segment.js'
import { added, NO_ROWS, sumsOf, sumsText } from './row-sums.js'
import { leftOut } from './segment-event.js'
import { heightsDeclaredFor } from './segments.js'
import type { SegmentState } from './batch.js'
import { storeFault } from './store-fault.js'
import { storeRows } from './store-rows.js'
import { transferWriterIn } from './store/transfers.js'
import type { TransferWriter } from './store/transfer-writer.js'

/** The tables that an import fills. */
const FILLED_TABLES = [
  'address',
  'contract',
  'transfer',
  'segment',
  'transaction_place',
  'block',
  'cluster_join',
  'owner_address',
  'unreadable_row',
  'unknown_token',
]
  .map((table) => `ledger.${table}`)
  .join(', ')

/** Imports one file. A fault of the file or the request is a result, not an error; importing again is always safe. */
export const importLedger = async (
  request: LedgerImportRequest,
  deps: LedgerImportDeps,
): Promise<LedgerImportResult> => await importWith(request, deps, transferWriterIn)

/** Into the store of this writer. */
export async function importWith(
  request: LedgerImportRequest,
  deps: LedgerImportDeps,
  writerIn: (database: Database) => TransferWriter,
): Promise<LedgerImportResult> {
  try {
    const chain = openChain(request.chain)
    const format = ledgerFormats[request.format]
    if (chain === undefined) throw new LedgerFileError(`The chain ${request.chain} is unknown`, null)
    if (format === undefined)
      throw new LedgerFileError(`The format is one of ${ledgerFormatNames.join(', ')}`, null)
    const covers = await declaredKinds(request, format, chain)
    const sha256 = await fileSha256(request.file)
    const now = deps.now?.() ?? new Date()
    return await deps.database.withConnection(async (connection) => {
      // One import per chain at a time, because an import may take over the rows of a killed one.
      await connection.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [importLockOf(chain.code)])
      try {
        const writer = writerIn(deps.database)
        return await runImport({ request, deps, chain, format, sha256, covers, now, writer })
      } finally {
        await connection.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [
          importLockOf(chain.code),
        ])
      }
    })
  } catch (error) {
    if (!(error instanceof LedgerFileError)) throw error
    const place = error.line === null ? '' : `line ${error.line}: `
    return { status: 'refused', message: place + error.message, line: error.line }
  }
}

async function runImport(run: ImportRun): Promise<LedgerImportSummary> {
  const startedAt = performance.now()
  const { deps } = run
  const fault = await storeFault(deps.database, run.writer.engine)
  if (fault !== null) throw new LedgerFileError(fault, null)
  const begun = await beginSegment(run)
  const { state } = begun
  if (begun.ledgerSeq !== null)
    return await summary(run, state, {
      ledgerSeq: begun.ledgerSeq,
      notes: [],
      resumedAt: state.rowsDone,
      startedAt,
    })
  if (run.request.onlyUndeclared === true) await checkUndeclared(run)
  const resumedAt = state.rowsDone
  const isHistory = run.request.history !== undefined
  await storeRows(run, state, { startedAt, knownIds: await run.writer.knownIds(state, isHistory) })
  await run.writer.index()
  // Postgres takes statistics by itself a minute later at best. Until then its plans are those of the smaller ledger. The few rows of a history
  // leave them as they are.
  if (!isHistory) await deps.database.execute(`ANALYZE ${FILLED_TABLES}`)
  const published = await publishSegment(run, state)
  // Sizes are counted in the index: without this every row is looked up too. The segment has a number only now.
  if (!isHistory) await deps.database.execute(`VACUUM ${FILLED_TABLES}`)
  if (!isHistory) await deps.database.execute('ANALYZE ledger.segment')
  return { ...(await summary(run, state, { ...published, resumedAt, startedAt })), status: 'imported' }
}

/** Under the lock of the chain, so no other import can declare the range meanwhile. */
async function checkUndeclared({ request, deps, chain, covers }: ImportRun): Promise<void> {
  const { completeFrom, completeTo } = request
  if (completeFrom === undefined || completeTo === undefined) return
  const kinds = historyKinds.filter((kind) => covers.includes(kind))
  const declared = await heightsDeclaredFor(deps.database, chain.code, kinds)
  const found = declared.find(({ from, to }) => from <= completeTo && to >= completeFrom)
  if (found === undefined) return
  throw new LedgerFileError(`The heights ${found.from} to ${found.to} are declared already`, null)
}

interface SegmentRow extends Record<string, unknown> {
  segment_id: number
  ledger_seq: number | null
  rows_done: number
  counts: Record<string, number>
  first_height: number | null
  last_height: number | null
  last_at_s: number | null
  row_sums: string
}

/** The segment of this file and declaration: a new one, an interrupted one, or the published one. */
async function beginSegment(
  run: ImportRun,
): Promise<{ readonly state: SegmentState; readonly ledgerSeq: number | null }> {
  const { request, deps, chain, sha256, covers, writer } = run
  const replaces = request.replace === true
  let begun = NO_ROWS
  const [row] = await deps.database.transaction({ at: 'ledger.segment' }, async (transaction) => {
    const { completeFrom = null, completeTo = null, format, history } = request
    const told = [history?.address ?? null, history?.provider ?? null, history?.height ?? null]
    const names = [chain.code, format, sha256, covers, completeFrom, completeTo, replaces, ...told]
    await transaction.execute(
      `INSERT INTO ledger.segment (chain, format, sha256, covers, complete_from, complete_to, replaces, history_address,
         history_provider, history_height, history_hash, history_at_s, history_incomplete, file_name, asset_table_version, imported_by)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) ON CONFLICT DO NOTHING`,
      [
        ...names,
        ...[history?.hash ?? null, history?.atS ?? null, history?.incomplete ?? null],
        ...[basename(request.file), ASSET_TABLE_VERSION, request.importedBy],
      ],
    )
    const rows = await transaction.query<SegmentRow>(
      `SELECT segment_id, ledger_seq, rows_done, counts, first_height, last_height, last_at_s,
         array_to_string(row_sums, ',') AS row_sums FROM ledger.segment
       WHERE chain = $1 AND format = $2 AND sha256 = $3 AND covers = $4 AND replaces = $7
         AND complete_from IS NOT DISTINCT FROM $5 AND complete_to IS NOT DISTINCT FROM $6 AND history_address IS NOT DISTINCT FROM $8
         AND history_provider IS NOT DISTINCT FROM $9 AND history_height IS NOT DISTINCT FROM $10`,
      names,
    )
    const [{ ledger_seq: ledgerSeq, segment_id: segmentId }] = rows as [SegmentRow]
    if (ledgerSeq === null) begun = await writer.restartOthers(transaction, { chain: chain.code, segmentId })
    if (begun !== NO_ROWS) {
      const sums = sumsText(added(sumsOf(rows[0]!.row_sums), begun))
      await transaction.execute(
        `UPDATE ledger.segment SET row_sums = string_to_array($2, ',')::numeric[] WHERE segment_id = $1`,
        [segmentId, sums],
      )
    }
    return rows
  })
  const state: SegmentState = {
    segmentId: row!.segment_id,
    chain: chain.code,
    replaces,
    rowsDone: row!.rows_done,
    counts: row!.counts,
    firstHeight: row!.first_height,
    lastHeight: row!.last_height,
    lastHeightAtS: row!.last_at_s,
    rowSums: added(sumsOf(row!.row_sums), begun),
  }
  return { state, ledgerSeq: row!.ledger_seq }
}

const MAX_SHOWN_ROWS = 20

async function unreadableRows(
  database: Queryable,
  segmentId: number,
): Promise<LedgerImportSummary['unreadable']> {
  return await database.query<{ line: number; message: string }>(
    `SELECT line, message FROM ledger.unreadable_row WHERE segment_id = $1 ORDER BY line LIMIT ${MAX_SHOWN_ROWS}`,
    [segmentId],
  )
}

async function summary(
  { deps, chain, sha256, covers }: ImportRun,
  state: SegmentState,
  {
    ledgerSeq,
    notes,
    resumedAt,
    startedAt,
  }: {
    readonly ledgerSeq: number
    readonly notes: readonly string[]
    readonly resumedAt: number
    readonly startedAt: number
  },
): Promise<LedgerImportSummary> {
  const durationMs = Math.round(performance.now() - startedAt)
  return {
    status: 'already-imported',
    segmentId: state.segmentId,
    ledgerSeq,
    chain: chain.code,
    sha256,
    rows: state.rowsDone,
    added: state.counts['added'] ?? 0,
    known: state.counts['known'] ?? 0,
    retired: state.counts['retired'] ?? 0,
    timed: state.counts['timed'] ?? 0,
    covers,
    notes,
    leftOut: leftOut(state.counts),
    unreadable: await unreadableRows(deps.database, state.segmentId),
    firstHeight: state.firstHeight,
    lastHeight: state.lastHeight,
    resumedAt,
    durationMs,
    rowsPerSecond: Math.round((state.rowsDone - resumedAt) / Math.max(durationMs / 1_000, 0.001)),
  }
}
