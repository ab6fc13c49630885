/** Every endpoint of the audit log and of usage. */
import type { Endpoint, LargeReads } from '@cupel/gate/http'
import { listAuditEntries } from '../read-model/index.js'
import { listAuditLog, type AuditListing } from './audit/list-audit-log.js'
import { getUsage, type UsageParts } from './usage/get-usage.js'
import { listUsageDays, type UsageDayParts } from './usage/list-usage-days.js'

interface Parts extends UsageParts, UsageDayParts {
  readonly bulk: { readonly largeReads: LargeReads }
  readonly personalData: {
    /** A text as the log and the tables have it under each key that sealed it. */
    spellings(accountId: string, text: string): Promise<readonly string[]>
  }
}

export const auditFeature = (parts: Parts): readonly Endpoint[] => [
  getUsage(parts),
  listUsageDays(parts),
  listAuditLog(listingOf(parts), parts.bulk.largeReads),
]

const listingOf = ({ database, personalData, tokens }: Parts): AuditListing => ({
  async list({ accountId, livemode }, { clientAddress: searched, ...query }) {
    const clientAddress =
      typeof searched === 'string' ? await personalData.spellings(accountId, searched) : searched
    return await listAuditEntries(database, { accountId, livemode, ...query, clientAddress })
  },
  tokens,
})
