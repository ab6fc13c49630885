/** Reads the rows of a file and stores them in batches. */
import { createHash } from 'node:crypto'
import { findAsset, uncountedReason } from '@cupel/domain'
import { createBatch, isFull, type Batch, type SegmentState } from './batch.js'
import { MAX_AHEAD_S } from './clock.js'
import { historyKinds, isDeclared } from './declared-range.js'
import { impossibleCoins, type ChainDefinition } from './formats/chain.js'
import { LedgerFileError, UnreadableRowError } from './formats/ledger-file-error.js'
import type { FileRecord, LedgerRow, RecordReader, ToldTransfer } from './formats/ledger-row.js'
import { readRecords } from './formats/read-file.js'
import type { LedgerImportRequest } from './import-request.js'
import type { ImportRun } from './import-run.js'
import type { KnownIds } from './known-ids.js'
import { createAddressNumbers, createContractNumbers } from './numbers.js'
import { storeBatch } from './store-batch.js'
import { createIdentities, nativeTransferId } from './transfer-identity.js'

/** Batches that are being stored or wait for it while the file is read on: the database never waits for the next one. */
const MOST_WAITING = 3

/** Continues after the stored rows. */
export async function storeRows(
  run: ImportRun,
  state: SegmentState,
  { startedAt, knownIds }: { readonly startedAt: number; readonly knownIds: KnownIds },
): Promise<void> {
  const { request, deps, chain, format, sha256 } = run
  const resumedAt = state.rowsDone
  const hash = createHash('sha256')
  const numbers = { addresses: createAddressNumbers(), contracts: createContractNumbers() }
  const take = { run, reader: format.open(chain), identityOf: createIdentities(chain) }
  let firstUnreadable: UnreadableRowError | null = null
  let isFirst = true
  let row = 0
  let batch = createBatch(state.segmentId, hasCalls(chain))
  let storing: Promise<void> = Promise.resolve()
  const waiting: Promise<void>[] = []
  const store = async (full: Batch): Promise<void> => {
    if (waiting.length === MOST_WAITING) await waiting.shift()
    storing = storing.then(async () => {
      await storeBatch(deps.database, full, { state, numbers, knownIds, writer: run.writer })
      const seconds = (performance.now() - startedAt) / 1_000
      deps.onProgress?.(state.rowsDone, Math.round((state.rowsDone - resumedAt) / Math.max(seconds, 0.001)))
    })
    // A later await reports a failure; until then the rejection must not count as unhandled.
    storing.catch(() => undefined)
    waiting.push(storing)
  }
  try {
    for await (const records of readRecords(request.file, hash, impossibleCoins(chain.code))) {
      if (isFirst) await survey(run, take.reader, records[0]!)
      isFirst = false
      for (const record of records) {
        row += 1
        // Stored rows are read again too: rows without a hash are numbered among equal rows.
        const unreadable = takeRecord(take, record, row > resumedAt ? batch : null)
        firstUnreadable ??= unreadable
        if (row > resumedAt) batch.rows += 1
        if (!isFull(batch)) continue
        await store(batch)
        batch = createBatch(state.segmentId, hasCalls(chain))
      }
    }
    await store(batch)
  } finally {
    // Another import of the chain may begin once this one ends, also by a fault of its file.
    await storing.catch(() => undefined)
  }
  await storing
  if (firstUnreadable !== null && state.counts[UNREADABLE] === state.rowsDone) throw firstUnreadable
  if (row === 0) checkEmpty(request)
  if (hash.digest('hex') !== sha256)
    throw new LedgerFileError('The file changed while it was read; import it again', null)
}

/** Reads the whole file before its first row, if its records depend on one another. All records have the same columns. */
async function survey(
  { request, format, chain }: ImportRun,
  reader: RecordReader,
  first: FileRecord,
): Promise<void> {
  if (format.isSurveyed?.(first, chain) !== true) return
  for await (const records of readRecords(request.file, createHash('sha256'), impossibleCoins(chain.code)))
    for (const record of records) {
      try {
        reader.survey?.(record)
      } catch (error) {
        // Reading the row refuses it.
        if (!(error instanceof UnreadableRowError)) throw error
      }
    }
}

const UNREADABLE = 'left_out.unreadable'

/** A range of more heights without a single row is rather a download that failed. */
const MAX_EMPTY_HEIGHTS = 1_000

function checkEmpty({
  completeFrom,
  completeTo,
  acceptEmpty,
  history,
  reason = '',
}: LedgerImportRequest): void {
  // Many addresses never moved anything.
  if (history !== undefined) return
  if (completeFrom === undefined || completeTo! - completeFrom < MAX_EMPTY_HEIGHTS) return
  if (acceptEmpty === true && reason.trim() !== '') return
  throw new LedgerFileError(
    `The file has no rows, and its range has ${completeTo! - completeFrom + 1} heights: if that is right, add --accept-empty and --reason`,
    null,
  )
}

interface Take {
  readonly run: ImportRun
  readonly reader: RecordReader
  readonly identityOf: ReturnType<typeof createIdentities>
}

/** Adds the rows of a record to the batch; null only numbers them. Returns why the record was refused, or null. */
function takeRecord(take: Take, record: FileRecord, batch: Batch | null): UnreadableRowError | null {
  try {
    for (const row of take.reader.read(record)) takeRow(take, row, record, batch)
    return null
  } catch (error) {
    if (!(error instanceof UnreadableRowError)) throw error
    refuseRow(take, record, error, batch)
    return error
  }
}

/**
 * An empty cell may hide any address, unless the format tells the script that has none: the value is kept, and the range that the row lies in
 * becomes incomplete.
 */
function doubtRow({ run }: Take, transfer: ToldTransfer, record: FileRecord, batch: Batch | null): void {
  const { from, blockNumber, execution, kind } = transfer
  if (run.format.tellsScripts === true || execution === 'failed') return
  if (blockNumber === null && run.request.completeFrom === undefined) return
  batch?.unreadable.push({
    line: record.line,
    height: blockNumber,
    kinds: [kind === 'utxo' ? 'native' : kind],
    message: from === '' ? 'the row states no sender' : 'the row states no receiver',
  })
}

/** The range that the row lies in becomes incomplete. Without a height and a range nothing would show that a row is missing. */
function refuseRow({ run }: Take, record: FileRecord, error: UnreadableRowError, batch: Batch | null): void {
  const { request, format, chain } = run
  const told = record.text('block_number') || record.text('number')
  const height = /^\d{1,15}(?:\.0+)?$/.test(told) ? Number(told) : null
  if (request.replace === true || (height === null && request.completeFrom === undefined))
    throw new LedgerFileError(error.message, record.line)
  const covers = format.covers(record, chain) ?? historyKinds
  batch?.refuse({
    line: record.line,
    height,
    kinds: covers.length === 0 ? ['native'] : covers,
    message: error.message,
  })
}

function takeRow(take: Take, row: LedgerRow, record: FileRecord, batch: Batch | null): void {
  const { line } = record
  const { code } = take.run.chain
  if (row.type === 'inputs') noteOwners(take, row.addresses, batch)
  if (row.type === 'transfer' || row.type === 'balance')
    noteOwners(take, [row.transfer.from, row.transfer.to], batch)
  switch (row.type) {
    case 'left-out':
      if (row.reason === NO_INPUT_VALUES && take.run.covers.length > 0)
        throw new LedgerFileError(
          'the values of the inputs are missing, so the file does not hold its range completely',
          line,
        )
      batch?.leaveOut(row.reason)
      return
    case 'outcome':
      batch?.addOutcome(nativeTransferId(code, row.outcome.txHash), row.outcome.succeeded)
      return
    case 'inputs':
      batch?.addJoin(row.txHash, row.addresses)
      return
    case 'block':
      checkTime(take.run, row.atS, row.line)
      batch?.blocks.set(row.height, row.atS)
      return
    case 'balance':
      checkSizes(row.transfer)
      addTransfer(take, row.transfer, { batch, isCounted: false })
      return
    case 'transfer': {
      checkSizes(row.transfer)
      const reason = uncountedReason(code, row.transfer)
      if (reason !== null) batch?.leaveOut(reason)
      if (reason === 'no_counterparty') doubtRow(take, row.transfer, record, batch)
      if (isOfUnknownToken(code, row.transfer)) batch?.tokens.set(take.identityOf(row.transfer), row.transfer)
      else if (reason === null || changesBalance(code, row.transfer))
        return addTransfer(take, row.transfer, { batch, isCounted: reason === null })
      batch?.addPlace(row.transfer)
    }
  }
}

/** Addresses of one key are one owner, so a later read finds each of them by the key. */
function noteOwners({ run }: Take, addresses: readonly string[], batch: Batch | null): void {
  for (const address of addresses) {
    const key = batch === null || address === '' ? null : run.chain.sharedKey(address)
    if (key !== null) batch?.owners.set(address, key)
  }
}

/** A token outside the asset table: anyone can emit its events, so it is kept and does not count. */
const isOfUnknownToken = (chain: string, { contract, from, to, amount }: ToldTransfer): boolean =>
  amount > 0n && from !== to && findAsset(chain, contract) === undefined

/** Created or destroyed value has no counterparty, but it changes the balance of one of the two addresses. */
const changesBalance = (chain: string, { contract, from, to, amount }: ToldTransfer): boolean =>
  amount > 0n && from !== to && findAsset(chain, contract) !== undefined

/** Only a virtual machine calls within a transaction. */
const hasCalls = ({ family }: ChainDefinition): boolean => family === 'evm' || family === 'tron'

const NO_INPUT_VALUES = 'no_input_values'

function addTransfer(
  { run, identityOf }: Take,
  transfer: ToldTransfer,
  { batch, isCounted }: { readonly batch: Batch | null; readonly isCounted: boolean },
): void {
  const { line, blockNumber } = transfer
  checkTime(run, transfer.occurredAtS, line)
  const isIn = isDeclared(blockNumber, run.request)
  if (run.request.replace === true && !isIn)
    throw new LedgerFileError('a transfer outside the range that the file is to replace', line)
  const id = identityOf(transfer)
  batch?.addTransfer(id, transfer, { isDeclared: isIn, isCounted })
}

/** The largest number of four bytes with a sign. */
const MOST_STORED = 2 ** 31 - 1

/** No chain has such heights. */
function checkSizes({ line, blockNumber, txIndex }: ToldTransfer): void {
  for (const [name, value] of [
    ['height', blockNumber],
    ['index of the transaction', txIndex],
  ] as const)
    if (value !== null && value > MOST_STORED)
      throw new LedgerFileError(`the ${name} ${value} is beyond ${MOST_STORED}`, line)
}

function checkTime({ now }: ImportRun, atS: number | null, line: number): void {
  if (atS !== null && atS > now.getTime() / 1_000 + MAX_AHEAD_S)
    throw new LedgerFileError('the time is more than a day in the future', line)
}
