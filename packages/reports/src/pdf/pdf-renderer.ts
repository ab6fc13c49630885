/**
 * Renders reports and summaries of bulk jobs in threads of the process. A document that takes too long ends its thread and no other document.
 * A thread ends after a while without work, because it holds the fonts in memory.
 */
import { Worker } from 'node:worker_threads'
import { createThreadPool, threadProgram } from '@cupel/kit/concurrency'
import type { RecordedLeaf } from '@cupel/contracts'
import type { Brand } from './brand.js'
import type { RenderOrder } from './render-worker.js'

export interface PdfRendererOptions {
  /** Maximum number of threads. */
  readonly workers: number
  /** Shown by every document but an audit; null or absent for none. */
  readonly brand?: Brand | null
  /** A thread without work ends after this time; ten minutes by default. */
  readonly idleMs?: number
  /** If a document is not rendered within this time, without its wait, its thread ends; 30 seconds by default. */
  readonly timeoutMs?: number
}

export interface PdfRenderer {
  /** The brand as text; empty for none. With another one every document has other bytes. */
  readonly brandText: string
  /**
   * The PDF of a report, from its stored text and its leaf, if that is known. Rejects with ThreadPoolBusyError if too many are waiting, with
   * OrderEndedError if this document took too long now or a while ago, and with another error if it cannot be rendered. `owner`: the
   * account that waits; owners take turns. `brand`: in place of that of the options.
   */
  render(json: string, leaf: RecordedLeaf | null, owner?: string, brand?: Brand | null): Promise<Uint8Array>
  /** The same for an ended bulk job with its results, from the API's text. Bytes are transferred to the thread and are empty afterwards. */
  renderBulk(json: string | Uint8Array<ArrayBuffer>, owner?: string): Promise<Uint8Array>
  /** The same for a report with its case as an appendix, from both texts. */
  renderWithCase(
    reportJson: string,
    caseJson: string,
    leaf: RecordedLeaf | null,
    owner?: string,
    brand?: Brand | null,
  ): Promise<Uint8Array>
  /** The same for the dossier of a case, from what it is made of. */
  renderDossier(json: string, owner?: string): Promise<Uint8Array>
  /** The same for an audit, from its statement as it will be attached. */
  renderAudit(json: string): Promise<Uint8Array>
  /** Ends the threads; unfinished reports are rejected. */
  close(): Promise<void>
}

/** Maximum number of documents that wait for a thread, of one account and for each thread. */
export const MAX_WAITING_PER_ACCOUNT = 8
const MAX_WAITING_PER_THREAD = 32
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
  brand: ownBrand = null,
  idleMs = IDLE_MS,
  timeoutMs = RENDER_TIMEOUT_MS,
}: PdfRendererOptions): PdfRenderer {
  const threads = createThreadPool<RenderOrder, Uint8Array>({
    start: () =>
      new Worker(...threadProgram(import.meta.url, 'render-worker', { resourceLimits: RESOURCE_LIMITS })),
    maxWaiting: MAX_WAITING_PER_THREAD * workers,
    maxWaitingPerOwner: MAX_WAITING_PER_ACCOUNT,
    ...{ threads: workers, idleMs, timeoutMs },
  })
  const order = (
    owner: string | undefined,
    kind: RenderOrder['kind'],
    json: string | Uint8Array<ArrayBuffer>,
    {
      leaf = null,
      brand = ownBrand,
    }: { readonly leaf?: RecordedLeaf | null; readonly brand?: Brand | null | undefined } = {},
  ): Promise<Uint8Array> =>
    threads.run(owner ?? '', { kind, json, leaf, brand }, typeof json === 'string' ? [] : [json.buffer])
  return {
    brandText: ownBrand === null ? '' : JSON.stringify(ownBrand),
    render: (json, leaf, owner, brand) => order(owner, 'report', json, { leaf, brand }),
    renderBulk: (json, owner) => order(owner, 'bulk', json),
    renderDossier: (json, owner) => order(owner, 'dossier', json),
    renderAudit: (json) => order(undefined, 'audit', json),
    renderWithCase: (reportJson, caseJson, leaf, owner, brand) =>
      order(owner, 'case', JSON.stringify([reportJson, caseJson]), { leaf, brand }),
    close: () => threads.close(),
  }
}
