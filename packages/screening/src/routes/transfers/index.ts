/** Endpoints of screened transfers. */
import type { Endpoint } from '../../http/endpoint.js'
import type { ReportListing } from '../reports/list-reports.js'
import { createTransfer, type TransferParts } from './create-transfer.js'
import { getTransfer } from './get-transfer.js'
import { listTransfers } from './list-transfers.js'

export function transferEndpoints(parts: TransferParts, listing: ReportListing): readonly Endpoint[] {
  return [createTransfer(parts), listTransfers(listing, parts.bulk.largeReads), getTransfer(parts.reports)]
}
