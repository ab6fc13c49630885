/** Reads a file in a thread of its own: reading takes longer than storing, and both use a processor each. */
import { Worker } from 'node:worker_threads'
import { threadProgram } from '@cupel/kit/concurrency'
import type { Batch } from './batch.js'
import { LedgerFileError } from './formats/ledger-file-error.js'
import { unpacked } from './packed-batch.js'
import type { ReadFile, ReadOrder } from './read-batches.js'
import type { FromReader } from './read-batches-worker.js'

/** As `readBatches`, in the order of the file. Rejects too if the thread ends before the file does, and ends it in any case. */
export async function readInThread(
  order: ReadOrder,
  onBatch: (batch: Batch) => Promise<void>,
): Promise<ReadFile> {
  const worker = new Worker(...threadProgram(import.meta.url, 'read-batches-worker', { workerData: order }))
  try {
    return await new Promise<ReadFile>((resolve, reject) => {
      const take = async (message: FromReader): Promise<void> => {
        if (message.kind === 'end') return resolve(message.read)
        if (message.kind === 'fault') throw new LedgerFileError(message.message, message.line)
        await onBatch(unpacked(message.batch))
        worker.postMessage('taken')
      }
      let taking: Promise<void> = Promise.resolve()
      // What it gave away before is taken first, so that nothing is stored once the reading has ended.
      const next = (step: () => Promise<void>): void => {
        taking = taking.then(step)
        taking.catch(reject)
      }
      worker.on('message', (message: FromReader) => next(() => take(message)))
      worker.once('error', (error) => next(() => Promise.reject(error)))
      worker.once('exit', () => next(() => Promise.reject(new Error('The thread that reads the file ended'))))
    })
  } finally {
    await worker.terminate()
  }
}
