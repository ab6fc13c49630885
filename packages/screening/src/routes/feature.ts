/** Every endpoint of screens and transfers. */
import type { Endpoint } from '@cupel/gate/http'
import type { ReportListing } from '@cupel/reports/routes'
import { createScreen, type ScreenParts } from './screen/create-screen.js'
import type { TransferParts } from './transfers/create-transfer.js'
import { transferEndpoints } from './transfers/index.js'

export const screeningFeature = (
  parts: ScreenParts & TransferParts & { readonly listing: ReportListing },
): readonly Endpoint[] => [createScreen(parts), ...transferEndpoints(parts, parts.listing)]
