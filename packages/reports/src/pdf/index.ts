// The words of the document, for answers that have no other form of it.
export { differenceOf, type Difference } from './compare-document.js'
export { sourceOf, type DocumentSource } from './document-source.js'
export { brandOf, BrandError, parseBrand, type Brand } from './brand.js'
export { createPdfRenderer, type PdfRenderer } from './pdf-renderer.js'
export { RENDERER_VERSION } from './version.js'
