/** The thread that renders PDFs, one after another: in the main thread, layout would delay every call of the process. */
import { serveOrders, standBack } from '@cupel/kit/concurrency'
import type { RecordedLeaf } from '@cupel/contracts'
import type { Brand } from './brand.js'
import { renderAudit, renderBulk, renderDossier, renderReport, renderWithCase } from './render-report.js'

const renderers = {
  ...{ audit: renderAudit, report: renderReport, bulk: renderBulk },
  ...{ case: renderWithCase, dossier: renderDossier },
}

export interface RenderOrder {
  readonly kind: keyof typeof renderers
  /** The text of the stored report, the report with its case, the job from the API, what a dossier is made of, or the statement of an audit. Bytes are UTF-8. */
  readonly json: string | Uint8Array
  /** Leaf of a report, if it is known. */
  readonly leaf: RecordedLeaf | null
  /** Of the operator; null for none. An audit shows none. */
  readonly brand: Brand | null
}

standBack()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

serveOrders<RenderOrder, Uint8Array>(({ kind, json, leaf, brand }) =>
  renderers[kind](typeof json === 'string' ? json : decoder.decode(json), leaf, brand),
)
