/**
 * Renders reports and summaries of bulk jobs in threads of the process. A thread starts with the first report that needs it. It ends
 * after a while without work, because it holds the fonts in memory.
 */
import { Worker } from 'node:worker_threads'
import { threadProgram } from '@cupel/concurrency'
import type { ReportLeaf } from '@cupel/contracts'
import type { RenderOrder, RenderResult } from './render-worker.js'

export interface PdfRendererOptions {
  /** Maximum number of threads. */
  readonly workers: number
  /** A thread without work ends after this time; ten minutes by default. */
  readonly idleMs?: number
  /** If a document is not rendered within this time, including its wait, its thread ends; 30 seconds by default. */
  readonly timeoutMs?: number
}

export interface PdfRenderer {
  /**
   * The PDF of a report, from its stored text and its leaf, if that is known. Rejects with RendererBusyError if too many are waiting, and
   * with another error if the report cannot be rendered.
   */
  render(json: string, leaf: ReportLeaf | null): Promise<Uint8Array>
  /** The same for an ended bulk job with its results, from the API's text. Bytes are transferred to the thread and are empty afterwards. */
  renderBulk(json: string | Uint8Array<ArrayBuffer>): Promise<Uint8Array>
  /** The same for a report with its case as an appendix, from both texts. */
  renderWithCase(reportJson: string, caseJson: string, leaf: ReportLeaf | null): Promise<Uint8Array>
  /** The same for an audit, from its statement as it will be attached. */
  renderAudit(json: string): Promise<Uint8Array>
  /** Ends the threads; unfinished reports are rejected. */
  close(): Promise<void>
}

export class RendererBusyError extends Error {}

/** Maximum number of reports that one thread renders or keeps waiting. */
export const MAX_ORDERS_PER_WORKER = 8
/** The longest reports take about two seconds of processor time. */
const RENDER_TIMEOUT_MS = 30_000
const IDLE_MS = 600_000
/** A report that needs more ends its thread, not the process. */
const MAX_HEAP_MB = 384
/** One render makes some 30 MB of garbage: with room for it, the collector copies less. */
const YOUNG_HEAP_MB = 64
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: MAX_HEAP_MB, maxYoungGenerationSizeMb: YOUNG_HEAP_MB }

export function createPdfRenderer({
  workers,
  idleMs = IDLE_MS,
  timeoutMs = RENDER_TIMEOUT_MS,
}: PdfRendererOptions): PdfRenderer {
  const threads = new Set<RenderThread>()
  const order = (
    kind: RenderOrder['kind'],
    json: Text,
    leaf: ReportLeaf | null = null,
  ): Promise<Uint8Array> => {
    const free = [...threads].sort((a, b) => a.waiting() - b.waiting())[0]
    if (free !== undefined && (free.waiting() === 0 || threads.size >= workers)) {
      if (free.waiting() >= MAX_ORDERS_PER_WORKER)
        return Promise.reject(new RendererBusyError('Every thread that renders PDFs is busy'))
      return free.render({ kind, json, leaf })
    }
    const thread = startThread({ idleMs, timeoutMs }, () => threads.delete(thread))
    threads.add(thread)
    return thread.render({ kind, json, leaf })
  }
  return {
    render: (json, leaf) => order('report', json, leaf),
    renderBulk: (json) => order('bulk', json),
    renderAudit: (json) => order('audit', json),
    renderWithCase: (reportJson, caseJson, leaf) =>
      order('case', JSON.stringify([reportJson, caseJson]), leaf),
    async close() {
      await Promise.all([...threads].map((thread) => thread.end()))
    },
  }
}

type Text = string | Uint8Array<ArrayBuffer>
type Order = Pick<RenderOrder, 'kind' | 'leaf'> & { readonly json: Text }

interface RenderThread {
  waiting(): number
  render(order: Order): Promise<Uint8Array>
  end(): Promise<void>
}

interface Waiting {
  resolve(pdf: Uint8Array): void
  reject(error: Error): void
  readonly timer: NodeJS.Timeout
}

/** `onEnd` is called, sometimes twice, before the unfinished orders are rejected. */
function startThread(
  { idleMs, timeoutMs }: Required<Omit<PdfRendererOptions, 'workers'>>,
  onEnd: () => void,
): RenderThread {
  const worker = new Worker(
    ...threadProgram(import.meta.url, 'render-worker', { resourceLimits: RESOURCE_LIMITS }),
  )
  const orders = new Map<number, Waiting>()
  let lastId = 0
  // A thread that is about to end must receive no order.
  const stop = (): void => {
    onEnd()
    void worker.terminate()
  }
  const idle: NodeJS.Timeout = setTimeout(() => (orders.size === 0 ? stop() : idle.refresh()), idleMs).unref()
  const settle = (id: number): Waiting | undefined => {
    const order = orders.get(id)
    if (order !== undefined) clearTimeout(order.timer)
    orders.delete(id)
    return order
  }
  worker.on('message', (result: RenderResult) => {
    const order = settle(result.id)
    if ('pdf' in result) order?.resolve(result.pdf)
    else order?.reject(new Error(`The document could not be rendered: ${result.fault}`))
    idle.refresh()
  })
  let cause: unknown
  worker.on('error', (error) => (cause = error))
  worker.on('exit', () => {
    onEnd()
    clearTimeout(idle)
    for (const id of [...orders.keys()])
      settle(id)?.reject(new Error('The thread that rendered the document ended', { cause }))
  })
  return {
    waiting: () => orders.size,
    render({ json, ...order }) {
      const id = (lastId += 1)
      idle.refresh()
      return new Promise((resolve, reject) => {
        orders.set(id, { resolve, reject, timer: setTimeout(stop, timeoutMs) })
        worker.postMessage(
          { id, json, ...order } satisfies RenderOrder,
          typeof json === 'string' ? [] : [json.buffer],
        )
      })
    },
    async end() {
      await worker.terminate()
    },
  }
}
