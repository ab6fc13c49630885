/** Every endpoint of share links. */
import type { Endpoint } from '@cupel/gate/http'
import { createReportShare } from './create-share.js'
import { listReportShares } from './list-shares.js'
import { openReportShare } from './open-share.js'
import { revokeReportShare } from './revoke-share.js'
import type { SharingParts } from './share-description.js'

export type { SharingParts } from './share-description.js'

export function shareEndpoints(parts: SharingParts): readonly Endpoint[] {
  return [createReportShare(parts), listReportShares(parts), revokeReportShare(parts), openReportShare(parts)]
}
