/** Every endpoint of bulk jobs. */
import type { Endpoint, PageTokens } from '@cupel/gate/http'
import type { PdfRenderer } from '@cupel/reports/pdf'
import type { KeptDocuments } from '@cupel/reports/routes'
import { cancelBulkJob } from './cancel-bulk-job.js'
import { createBulkJob } from './create-bulk-job.js'
import { followBulkJob } from './follow-bulk-job.js'
import { getBulkJob } from './get-bulk-job.js'
import { getBulkPdf } from './get-bulk-pdf.js'
import { listBulkJobs } from './list-bulk-jobs.js'
import { listBulkResults } from './list-bulk-results.js'
import type { BulkParts } from './results/open-bulk.js'

interface Parts {
  readonly bulk: BulkParts
  readonly keptDocuments: KeptDocuments
  readonly listing: { readonly tokens: PageTokens }
  readonly pdf: PdfRenderer
}

export const bulkFeature = ({ bulk, keptDocuments, listing, pdf }: Parts): readonly Endpoint[] => [
  createBulkJob(bulk),
  listBulkJobs(bulk, listing.tokens),
  getBulkJob(bulk),
  followBulkJob(bulk),
  getBulkPdf(bulk, pdf, keptDocuments),
  cancelBulkJob(bulk),
  listBulkResults(bulk, listing.tokens),
]
