/** Stores the rows of a file in batches. */
import { stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import type { Batch, SegmentState } from './batch.js'
import { LedgerFileError } from './formats/ledger-file-error.js'
import type { LedgerImportRequest } from './import-request.js'
import type { ImportRun } from './import-run.js'
import type { KnownIds } from './known-ids.js'
import { createAddressNumbers, createContractNumbers } from './numbers.js'
import { readBatches, type ReadFile } from './read-batches.js'
import { readInThread } from './read-in-thread.js'
import { storeBatch } from './store-batch.js'

/** Batches that are being stored or wait for it while the file is read on: the database never waits for the next one. */
const MOST_WAITING = 3

/** A thread takes half a second of a processor to begin: as long as it takes to read so many bytes of rows. */
const THREAD_FROM_BYTES = 16 * 1024 ** 2

/** Continues after the stored rows. */
export async function storeRows(
  run: ImportRun,
  state: SegmentState,
  { startedAt, knownIds }: { readonly startedAt: number; readonly knownIds: KnownIds },
): Promise<void> {
  const { request, deps, covers, now } = run
  const resumedAt = state.rowsDone
  const numbers = { addresses: createAddressNumbers(), contracts: createContractNumbers() }
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
  const { batchTransfers } = run.writer
  const order = { request, covers, now, segmentId: state.segmentId, rowsDone: resumedAt, batchTransfers }
  const { size } = await stat(request.file)
  const isLarge = size >= (deps.threadFromBytes ?? THREAD_FROM_BYTES) && availableParallelism() > 1
  try {
    const read = await (isLarge ? readInThread : readBatches)(order, store)
    await storing
    checkRead(run, state, read)
  } finally {
    // Another import of the chain may begin once this one ends, also by a fault of its file.
    await storing.catch(() => undefined)
  }
}

const UNREADABLE = 'left_out.unreadable'

function checkRead({ request, sha256 }: ImportRun, { counts, rowsDone }: SegmentState, read: ReadFile): void {
  const { firstUnreadable } = read
  if (firstUnreadable !== null && counts[UNREADABLE] === rowsDone)
    throw new LedgerFileError(firstUnreadable.message, firstUnreadable.line)
  if (read.rows === 0) checkEmpty(request)
  if (read.sha256 !== sha256)
    throw new LedgerFileError('The file changed while it was read; import it again', null)
}

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
