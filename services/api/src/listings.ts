/** The parts for lists of reports, and where a report is that was cut from the log. */
import type { Logger, Metrics } from '@cupel/contracts'
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

export function listingOf(
  {
    config,
    database,
    ...reading
  }: Installed & {
    readonly log: EventLog
    readonly codec: EventCodec
    readonly logger: Logger
    readonly metrics: Metrics
  },
  { tokens, personalData }: Pick<EndpointParts['keys'], 'tokens' | 'personalData'>,
): EndpointParts['listing'] {
  const findRetirement = findRetirementOf({ config, database })
  const parts = { database, readDocuments: documentReader({ ...reading, findRetirement }) }
  return {
    async list({ accountId, livemode }, { filter, ...query }) {
      const { customerReference: searched } = filter
      const customerReference =
        typeof searched === 'string' ? await personalData.referenceSpellings(accountId, searched) : searched
      return await listWholeReports(parts, {
        ...{ accountId, livemode, ...query },
        filter: { ...filter, customerReference },
      })
    },
    tokens,
  }
}
