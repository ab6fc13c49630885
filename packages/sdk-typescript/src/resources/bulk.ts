import { documentOf, jobOf, objectOf, type Download } from '../answers.js'
import { InvalidArgumentError, TimedOutError } from '../errors.js'
import type { ItemList } from '../item-list.js'
import { path } from '../path.js'
import type { Settings } from '../settings.js'
import type { CallOptions, KeyedCallOptions } from '../transport/call.js'
import type { Transport } from '../transport/transport.js'
import type {
  BulkItemRequest,
  BulkJob,
  BulkJobSummary,
  BulkResult,
  OpenedCases,
} from '../generated/models.js'
import { listOf, type ListOptions } from './list-of.js'

const FILE_TYPES = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const
const FIRST_POLL_MS = 500
const LONGEST_POLL_MS = 5_000

export interface BulkSubmitOptions extends KeyedCallOptions {
  /** What you call the job. */
  readonly name?: string | undefined
  /** Chain code for all addresses that name none; without it, the chain of each address is detected. */
  readonly chain?: string | undefined
}

export interface BulkWaitOptions {
  readonly signal?: AbortSignal | undefined
  /** Milliseconds to wait for the end of the job. Without it, the wait lasts as long as the job. */
  readonly timeoutMs?: number | undefined
  /** Called with the job after each poll, also at its end. */
  readonly onProgress?: ((job: BulkJob) => void) | undefined
}

export interface BulkResultsOptions extends ListOptions {
  /** `pending`: also includes the items that are not done yet. */
  readonly include?: 'pending' | undefined
  /** `risk`: worst first. Default `submission`. */
  readonly sort?: 'submission' | 'risk' | undefined
  /** Only completed items whose report has this level. */
  readonly level?: string | undefined
  /** Only items with this status. */
  readonly status?: string | undefined
}

/** Jobs of up to 1,000 addresses. */
export class Bulk {
  readonly #transport: Transport
  readonly #settings: Pick<Settings, 'clock' | 'random' | 'timeoutMs'>

  constructor(transport: Transport, settings: Pick<Settings, 'clock' | 'random' | 'timeoutMs'>) {
    this.#transport = transport
    this.#settings = settings
  }

  /**
   * Submits 1 to 1,000 addresses, or items with a reference of your own each: its result has it, and so has its report. A bad address
   * is an error of its item, not of the job.
   */
  async submit(
    addresses: Iterable<string | BulkItemRequest>,
    options: BulkSubmitOptions = {},
  ): Promise<BulkJob> {
    if (typeof addresses === 'string')
      throw new InvalidArgumentError('bulk.submit takes a list of addresses, not one text.')
    const given = [...addresses]
    const { name, chain } = options
    const body = given.some((one) => typeof one === 'object')
      ? { items: given.map((one) => (typeof one === 'object' ? one : { address: one })), name, chain }
      : { addresses: given, name, chain }
    return jobOf(await this.#transport({ method: 'POST', path: '/v1/bulk', body, repeat: 'keyed', options }))
  }

  /** The job: counters while it runs, `results` once it has ended. */
  async get(jobId: string, options: CallOptions = {}): Promise<BulkJob> {
    const call = { method: 'GET', path: path`/v1/bulk/${jobId}`, repeat: 'safe', options } as const
    return jobOf(await this.#transport(call), jobId)
  }

  /** Newest first. */
  list(options: ListOptions = {}): ItemList<BulkJobSummary> {
    return listOf(this.#transport, '/v1/bulk', options)
  }

  /** Polls until the job has ended, with any outcome, and returns it with its results. Check `status` and each result. */
  async wait(job: string | BulkJob, options: BulkWaitOptions = {}): Promise<BulkJob> {
    const jobId = typeof job === 'string' ? job : job.job_id
    const { clock, random, timeoutMs: callMs } = this.#settings
    const { signal, timeoutMs = Infinity, onProgress } = options
    const deadline = clock.now() + timeoutMs
    for (let look = 0; ; look += 1) {
      const leftMs = deadline - clock.now()
      const seen = await this.get(jobId, { signal, timeoutMs: Math.min(callMs, leftMs) })
      onProgress?.(seen)
      if (seen.completed_at !== null) return seen
      const spanMs = Math.min(LONGEST_POLL_MS, FIRST_POLL_MS * 1.5 ** look)
      const waitMs = Math.round(spanMs * (0.8 + 0.4 * random()))
      if (clock.now() + waitMs >= deadline)
        throw new TimedOutError(
          `The job ${jobId} did not end within ${timeoutMs} ms: ${seen.completed + seen.failed} of ${seen.total} items are done. It goes on.`,
        )
      await clock.sleep(waitMs, signal)
      signal?.throwIfAborted()
    }
  }

  /** The results, by default in the order of the submission. While the job runs, the results that are available. */
  results(jobId: string, options: BulkResultsOptions = {}): ItemList<BulkResult> {
    const { include, sort, level, status } = options
    return listOf(this.#transport, path`/v1/bulk/${jobId}/results`, options, { include, sort, level, status })
  }

  /** All results as a file: CSV or XLSX without formulas for spreadsheets, or one JSON object a line. */
  async download(
    jobId: string,
    format: keyof typeof FILE_TYPES,
    options: CallOptions = {},
  ): Promise<Download> {
    const type = FILE_TYPES[format]
    const call = { method: 'GET', path: path`/v1/bulk/${jobId}/results`, accept: type } as const
    const answer = await this.#transport({ ...call, repeat: 'safe', options })
    return documentOf(answer, new RegExp(`^${type}\\b`, 'i'))
  }

  /** A summary of an ended job as a PDF document. */
  async pdf(jobId: string, options: CallOptions = {}): Promise<Download> {
    const call = { method: 'GET', path: path`/v1/bulk/${jobId}/pdf`, accept: 'application/pdf' } as const
    return documentOf(await this.#transport({ ...call, repeat: 'safe', options }), /^application\/pdf\b/i)
  }

  /** Cancels the items that are not done. Completed items stay. */
  async cancel(jobId: string, options: CallOptions = {}): Promise<BulkJob> {
    const call = { method: 'POST', path: path`/v1/bulk/${jobId}/cancel`, repeat: 'safe', options } as const
    return jobOf(await this.#transport(call), jobId)
  }

  /** Opens a case with the note for each report of this level that has none. A repeat opens nothing a second time. */
  async openCases(
    jobId: string,
    { level, text }: { readonly level: string; readonly text: string },
    options: CallOptions = {},
  ): Promise<OpenedCases> {
    const at = path`/v1/bulk/${jobId}/cases`
    const answer = await this.#transport({
      method: 'POST',
      path: at,
      body: { level, text },
      repeat: 'safe',
      options,
    })
    return objectOf(answer) as unknown as OpenedCases
  }
}
