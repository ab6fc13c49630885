/** The thread that renders PDFs, one after another: in the main thread, layout would delay every call of the process. */
import { parentPort } from 'node:worker_threads'
import { standBack } from '@cupel/concurrency'
import type { ReportLeaf } from '@cupel/contracts'
import { renderAudit, renderBulk, renderReport, renderWithCase } from './render-report.js'

const renderers = { audit: renderAudit, report: renderReport, bulk: renderBulk, case: renderWithCase }

export interface RenderOrder {
  readonly id: number
  readonly kind: keyof typeof renderers
  /** The text of the stored report, the report with its case, the job from the API, or the statement of an audit. Bytes are UTF-8. */
  readonly json: string | Uint8Array
  /** Leaf of a report, if it is known. */
  readonly leaf: ReportLeaf | null
}

export type RenderResult =
  | { readonly id: number; readonly pdf: Uint8Array }
  | { readonly id: number; readonly fault: string }

standBack()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
let last: Promise<void> = Promise.resolve()

parentPort?.on('message', (order: RenderOrder) => {
  last = last.then(async () => parentPort?.postMessage(await resultOf(order)))
})

async function resultOf({ id, kind, json, leaf }: RenderOrder): Promise<RenderResult> {
  try {
    return { id, pdf: await renderers[kind](typeof json === 'string' ? json : decoder.decode(json), leaf) }
  } catch (error) {
    return { id, fault: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}
