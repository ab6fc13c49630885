/** Every endpoint of share links. */
import type { Endpoint } from '@cupel/gate/http'
import type { ReadReportLeaf } from '@cupel/reports/routes'
import { createReportShare } from './create-share.js'
import { listReportShares } from './list-shares.js'
import { openReportShare } from './open-share.js'
import { revokeReportShare } from './revoke-share.js'
import type { SharingParts } from './share-description.js'

interface Parts extends Omit<SharingParts, 'readLeaf'> {
  readonly transparency: { readonly readLeaf: ReadReportLeaf }
}

export function sharingFeature({ transparency, ...sharing }: Parts): readonly Endpoint[] {
  const parts = { ...sharing, readLeaf: transparency.readLeaf }
  return [createReportShare(parts), listReportShares(parts), revokeReportShare(parts), openReportShare(parts)]
}
