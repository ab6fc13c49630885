/** The thread that reads a file while its importer stores what was read before. */
import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { standBack } from '@cupel/kit/concurrency'
import { LedgerFileError } from './formats/ledger-file-error.js'
import { packed, type PackedBatch } from './packed-batch.js'
import { readBatches, type ReadFile, type ReadOrder } from './read-batches.js'

export type FromReader =
  | { readonly kind: 'batch'; readonly batch: PackedBatch }
  | { readonly kind: 'end'; readonly read: ReadFile }
  /** Of the file. */
  | { readonly kind: 'fault'; readonly message: string; readonly line: number | null }

/** Batches that were given away and not taken. */
const MOST_AHEAD = 2

// Screens come first on a machine that is busy.
standBack()
await serve(parentPort!, workerData as ReadOrder)

/** The importer answers each batch that it took. */
async function serve(port: MessagePort, order: ReadOrder): Promise<void> {
  let ahead = 0
  let onTaken = (): void => undefined
  port.on('message', () => {
    ahead -= 1
    onTaken()
  })
  const tell = (message: FromReader): void => port.postMessage(message)
  try {
    const read = await readBatches(order, async (batch) => {
      while (ahead === MOST_AHEAD) await new Promise<void>((resolve) => (onTaken = resolve))
      ahead += 1
      tell({ kind: 'batch', batch: packed(batch) })
    })
    tell({ kind: 'end', read })
  } catch (error) {
    if (!(error instanceof LedgerFileError)) throw error
    tell({ kind: 'fault', message: error.message, line: error.line })
  }
  port.close()
}
