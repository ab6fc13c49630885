/**
 * Screenings of watches run as jobs of the coordinator, so that they share its window and their account’s turn with bulk jobs. No
 * caller submitted such a job: its screenings name no job, and its end is not announced.
 */
import { requestedEventId } from '@cupel/contracts'
import { evolveJob, MAX_BULK_ITEMS, nothingKnownOfJob, screenedAddressOf, type BulkJob } from '@cupel/domain'
import type { DueWatch } from '../index.js'
import { type OpenJob, type Unit, quietJobId } from '@cupel/bulk/worker'

export interface WatchScreening {
  readonly watch: DueWatch
  readonly reportId: string
}

export interface WatchJob {
  readonly job: OpenJob
  readonly state: BulkJob
  readonly units: readonly Unit[]
}

/** One job for each tenant and address of report pages, or several where it has more screenings than a job may have. */
export function watchJobsOf(screenings: readonly WatchScreening[], submittedAt: string): WatchJob[] {
  const groups = new Map<string, WatchScreening[]>()
  for (const screening of screenings) {
    const { accountId, livemode, reportPageUrl } = screening.watch
    const key = JSON.stringify([accountId, livemode, reportPageUrl])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [screening])
    else group.push(screening)
  }
  return [...groups.values()].flatMap((group) => {
    const jobs: WatchJob[] = []
    for (let from = 0; from < group.length; from += MAX_BULK_ITEMS)
      jobs.push(watchJob(group.slice(from, from + MAX_BULK_ITEMS), submittedAt))
    return jobs
  })
}

function watchJob(screenings: readonly WatchScreening[], submittedAt: string): WatchJob {
  const id = requestedEventId()
  const jobId = quietJobId(id)
  const { accountId, livemode, reportPageUrl } = screenings[0]!.watch
  const firsts = screenings.map((_, index) => index)
  return {
    job: {
      ...{ jobId, accountId, livemode, submittedAt, reportPageUrl, correlationId: id, causationId: id },
      ...{ traceparent: null, units: screenings.length, released: 0, endedUnits: 0 },
    },
    state: evolveJob(nothingKnownOfJob, [{ kind: 'submitted', at: submittedAt, firsts, refused: [] }]),
    units: screenings.map(({ watch, reportId }, index) => ({
      ...{ reportId, jobId, position: index, itemIndex: index, reference: null },
      ...screenedAddressOf(watch),
    })),
  }
}
