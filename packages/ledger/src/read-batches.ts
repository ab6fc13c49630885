/** Reads the rows of a file into batches, in the order of the file. */
import { createHash } from 'node:crypto'
import { findAsset, uncountedReason } from '@cupel/domain'
import { createBatch, isFull, type Batch, type FillingBatch } from './batch.js'
import { MAX_AHEAD_S } from './clock.js'
import { historyKinds, isDeclared } from './declared-range.js'
import { impossibleCoins, openChain, type ChainDefinition } from './formats/chain.js'
import { ledgerFormats } from './formats/formats.js'
import { LedgerFileError, UnreadableRowError } from './formats/ledger-file-error.js'
import type { FileRecord, LedgerRow, RecordReader, ToldTransfer } from './formats/ledger-row.js'
import { readRecords } from './formats/read-file.js'
import type { LedgerImportRequest } from './import-request.js'
import type { ImportRun } from './import-run.js'
import { createIdentities, nativeTransferId } from './transfer-identity.js'

/** What is to be read; a thread can be given it. Chain and format of the request are known ones. */
export interface ReadOrder extends Pick<ImportRun, 'covers' | 'now'> {
  readonly request: LedgerImportRequest
  readonly segmentId: number
  /** Rows that are stored already. */
  readonly rowsDone: number
  /** Transfers of a batch. */
  readonly batchTransfers?: number | undefined
}

export interface ReadFile {
  readonly rows: number
  /** Of the bytes that were read, lowercase hex. */
  readonly sha256: string
  /** Why the first row that is not readable was refused; null if all are. */
  readonly firstUnreadable: { readonly message: string; readonly line: number | null } | null
}

/** Gives each batch away before it reads on; the last one may be empty. Throws LedgerFileError. */
export async function readBatches(
  { request, covers, now, segmentId, rowsDone, batchTransfers }: ReadOrder,
  onBatch: (batch: Batch) => Promise<void>,
): Promise<ReadFile> {
  const chain = openChain(request.chain)!
  const format = ledgerFormats[request.format]!
  const hash = createHash('sha256')
  const take: Take = {
    run: { request, covers, now, chain, format },
    reader: format.open(chain),
    identityOf: createIdentities(chain),
  }
  let firstUnreadable: UnreadableRowError | null = null
  let isFirst = true
  let row = 0
  let batch = createBatch(segmentId, hasCalls(chain))
  for await (const records of readRecords(request.file, hash, impossibleCoins(chain.code))) {
    if (isFirst) await survey(take, records[0]!)
    isFirst = false
    for (const record of records) {
      row += 1
      // Stored rows are read again too: rows without a hash are numbered among equal rows.
      const unreadable = takeRecord(take, record, row > rowsDone ? batch : null)
      firstUnreadable ??= unreadable
      if (row > rowsDone) batch.rows += 1
      if (!isFull(batch, batchTransfers)) continue
      await onBatch(batch)
      batch = createBatch(segmentId, hasCalls(chain))
    }
  }
  await onBatch(batch)
  return {
    rows: row,
    sha256: hash.digest('hex'),
    firstUnreadable:
      firstUnreadable === null ? null : { message: firstUnreadable.message, line: firstUnreadable.line },
  }
}

/** Reads the whole file before its first row, if its records depend on one another. All records have the same columns. */
async function survey({ run, reader }: Take, first: FileRecord): Promise<void> {
  const { request, format, chain } = run
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

type Reading = Pick<ImportRun, 'request' | 'covers' | 'now' | 'chain' | 'format'>

interface Take {
  readonly run: Reading
  readonly reader: RecordReader
  readonly identityOf: ReturnType<typeof createIdentities>
}

/** Adds the rows of a record to the batch; null only numbers them. Returns why the record was refused, or null. */
function takeRecord(take: Take, record: FileRecord, batch: FillingBatch | null): UnreadableRowError | null {
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
function doubtRow(
  { run }: Take,
  transfer: ToldTransfer,
  record: FileRecord,
  batch: FillingBatch | null,
): void {
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
function refuseRow(
  { run }: Take,
  record: FileRecord,
  error: UnreadableRowError,
  batch: FillingBatch | null,
): void {
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

function takeRow(take: Take, row: LedgerRow, record: FileRecord, batch: FillingBatch | null): void {
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
      if (reason === null) return addTransfer(take, row.transfer, { batch, isCounted: true })
      batch?.leaveOut(reason)
      if (reason === 'no_counterparty') doubtRow(take, row.transfer, record, batch)
      if (isOfUnknownToken(code, row.transfer)) batch?.tokens.set(take.identityOf(row.transfer), row.transfer)
      else if (changesBalance(code, row.transfer))
        return addTransfer(take, row.transfer, { batch, isCounted: false })
      batch?.addPlace(row.transfer)
    }
  }
}

/** Addresses of one key are one owner, so a later read finds each of them by the key. */
function noteOwners({ run }: Take, addresses: readonly string[], batch: FillingBatch | null): void {
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
  { batch, isCounted }: { readonly batch: FillingBatch | null; readonly isCounted: boolean },
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

function checkTime({ now }: Reading, atS: number | null, line: number): void {
  if (atS !== null && atS > now.getTime() / 1_000 + MAX_AHEAD_S)
    throw new LedgerFileError('the time is more than a day in the future', line)
}
