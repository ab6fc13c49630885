/** The content of a job form: the text of the file, and how to read it. A thread reads it, because a file may take a second. */
import { Worker } from 'node:worker_threads'
import { createThreadPool, OrderEndedError, ThreadPoolBusyError, threadProgram } from '@cupel/kit/concurrency'
import { fieldOf, type PageCall } from '@cupel/console'
import type { BulkOrder } from './bulk-form-worker.js'
import type { JoinedFile } from './join-results.js'
import type { BulkFormResult, Upload } from './read-upload.js'

export type { ReadBulkForm } from './read-upload.js'

/** A file that needs more ends its thread, not the process. */
const MAX_HEAP_MB = 256

const threads = createThreadPool<BulkOrder, BulkFormResult | JoinedFile>({
  start() {
    const resourceLimits = { maxOldGenerationSizeMb: MAX_HEAP_MB }
    const worker = new Worker(...threadProgram(import.meta.url, 'bulk-form-worker', { resourceLimits }))
    // It must not keep a process alive that has closed everything else.
    worker.unref()
    return worker
  },
  ...{ threads: 1, maxWaiting: 32, maxWaitingPerOwner: 4, timeoutMs: 10_000, idleMs: 60_000 },
})

/** A file takes precedence over pasted text. */
export async function readBulkForm({
  form,
  session,
}: Pick<PageCall, 'form' | 'session'>): Promise<BulkFormResult> {
  const upload = await uploadOf(form)
  const text = typeof upload.content === 'string' ? upload.content : ''
  const read = await inThread(session!.token, { kind: 'read', upload })
  return 'fault' in read ? { ok: false, fault: read.fault, text } : (read as BulkFormResult)
}

/** The file of the form with the results of a job, which are in a table of the API, beside its own columns. */
export async function joinFile(
  { form, session }: Pick<PageCall, 'form' | 'session'>,
  table: string,
): Promise<JoinedFile> {
  const { content } = await uploadOf(form)
  return (await inThread(session!.token, { kind: 'join', content, table })) as JoinedFile
}

async function inThread(owner: string, order: BulkOrder): Promise<BulkFormResult | JoinedFile> {
  return await threads.run(owner, order).catch((error: unknown) => {
    if (error instanceof ThreadPoolBusyError) return { ok: false as const, fault: BUSY, text: '' }
    if (error instanceof OrderEndedError) return { ok: false as const, fault: TOO_LONG, text: '' }
    throw error
  })
}

/** The name of the chosen file, without its end; empty where none was chosen. */
export function fileNameOf(form: FormData): string {
  const given = form.get('file')
  const isFile = typeof given === 'object' && given !== null && given.size > 0
  return isFile ? given.name.replace(/\.[a-z]{2,4}$/i, '') : ''
}

const BUSY = 'Too many files are being read right now. Send it again in a moment.'
const TOO_LONG = 'Reading this takes too long. Split it, or leave out the columns that are not needed.'

async function uploadOf(form: FormData): Promise<Upload> {
  const given = form.get('file')
  const isFile = typeof given === 'object' && given !== null && given.size > 0
  const column = fieldOf(form, 'column')
  const references = fieldOf(form, 'reference-column')
  const isChosen = /^\d{1,5}$/.test(column)
  return {
    content: isFile ? new Uint8Array(await given.arrayBuffer()) : fieldOf(form, 'text'),
    chain: fieldOf(form, 'chain') || null,
    chosen: isChosen
      ? {
          column: Number(column),
          hasHeader: fieldOf(form, 'header') === 'yes',
          referenceColumn: /^\d{1,5}$/.test(references) ? Number(references) : null,
        }
      : null,
  }
}
