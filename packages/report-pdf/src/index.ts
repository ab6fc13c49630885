export {
  STATEMENT_FORMAT,
  STATEMENT_NAME,
  type AuditStatement,
  type RecomputeAnswer,
} from '@cupel/report-document'
export { createPdfRenderer, RendererBusyError } from './pdf-renderer.js'
export type { PdfRenderer, PdfRendererOptions } from './pdf-renderer.js'
export { RENDERER_VERSION } from './version.js'
