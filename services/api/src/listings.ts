/** The parts for lists of reports and of the audit log, and where a report is that was cut from the log. */
import { listAuditEntries } from '@cupel/audit/read-model'
import type { EventCodec, EventLog } from '@cupel/event-log'
import type { Config } from '@cupel/kit/service'
import type { Database } from '@cupel/postgres'
import { documentReader, listWholeReports, retirementFinder } from '@cupel/reports/read-model'
import type { EndpointParts } from './endpoints.js'

interface Installed {
  readonly config: Pick<Config, 'CUPEL_RETENTION_ARCHIVE'>
  readonly database: Database
}

/** Undefined if an archive is configured: a report that it does not give now is one that cannot be read now. */
export const findRetirementOf = ({ config, database }: Installed) =>
  config.CUPEL_RETENTION_ARCHIVE === undefined ? retirementFinder(database) : undefined

export function listingsOf(
  { config, database, log, codec }: Installed & { readonly log: EventLog; readonly codec: EventCodec },
  { tokens, personalData }: Pick<EndpointParts['keys'], 'tokens' | 'personalData'>,
): Pick<EndpointParts, 'listing' | 'auditListing'> {
  const findRetirement = findRetirementOf({ config, database })
  const reading = { database, readDocuments: documentReader({ log, codec, findRetirement }) }
  type Searched = string | readonly string[] | undefined
  const stored = async (accountId: string, searched: Searched, as: 'spellings' | 'referenceSpellings') =>
    typeof searched === 'string' ? await personalData[as](accountId, searched) : searched
  return {
    listing: {
      async list({ accountId, livemode }, { filter, ...query }) {
        const customerReference = await stored(accountId, filter.customerReference, 'referenceSpellings')
        return await listWholeReports(reading, {
          ...{ accountId, livemode, ...query },
          filter: { ...filter, customerReference },
        })
      },
      tokens,
    },
    auditListing: {
      async list({ accountId, livemode }, query) {
        const clientAddress = await stored(accountId, query.clientAddress, 'spellings')
        return await listAuditEntries(database, { accountId, livemode, ...query, clientAddress })
      },
      tokens,
    },
  }
}
