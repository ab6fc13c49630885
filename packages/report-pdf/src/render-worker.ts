/** The thread that renders PDFs, one after another: layout would hold up every call of the process. */
import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { renderBulk, renderReport, renderWithCase } from './render-report.js'

const renderers = { report: renderReport, bulk: renderBulk, case: renderWithCase }

export interface RenderOrder {
  readonly id: number
  readonly kind: keyof typeof renderers
  /** The text of the report as it is stored, of the report with its case, or of the job as the API gives it. */
  readonly json: string
}

export type RenderResult =
  { readonly id: number; readonly pdf: Uint8Array } | { readonly id: number; readonly fault: string }

/** Of a scale from -20 to 19: calls of the process go first where both want the processor. */
const PRIORITY = 10

/** Linux has priorities of threads; elsewhere the thread keeps the one of the process. */
function yieldToCalls(): void {
  try {
    const [, thread] = /\/task\/(\d+)$/.exec(readlinkSync('/proc/thread-self'))!
    setPriority(Number(thread), PRIORITY)
  } catch {
    // Priorities make nothing right or wrong.
  }
}

yieldToCalls()
let last: Promise<void> = Promise.resolve()

parentPort?.on('message', (order: RenderOrder) => {
  last = last.then(async () => parentPort?.postMessage(await resultOf(order)))
})

async function resultOf({ id, kind, json }: RenderOrder): Promise<RenderResult> {
  try {
    return { id, pdf: await renderers[kind](json) }
  } catch (error) {
    return { id, fault: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}
