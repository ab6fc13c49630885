/** Endpoints of screened transfers. */
import type { Endpoint } from '@cupel/gate/http'
import type { ReportListing } from '@cupel/reports/routes'
import { createTransfer, type TransferParts } from './create-transfer.js'
import { getTransfer } from './get-transfer.js'
import { listTransfers } from './list-transfers.js'

export function transferEndpoints(parts: TransferParts, listing: ReportListing): readonly Endpoint[] {
  return [createTransfer(parts), listTransfers(listing, parts.bulk.largeReads), getTransfer(parts.reports)]
}
