/** Lets the scorers continue after the requests whose outcomes are in the log already. */
import { screenTopic, topicOf, type Lane } from '@cupel/contracts'
import { noteReleased } from '@cupel/bulk/worker'
import type { EventLog, LogRange } from '@cupel/event-log'
import { type PartitionPosition, putCheckpoints, readModelGroup, unreadRanges } from '@cupel/projections'
import { reportView } from '@cupel/reports/read-model'
import { SCORER_GROUPS } from '@cupel/screening/worker'
import type { Queryable } from '@cupel/postgres'
import type { Notes } from './notes.js'

/** Ids of outcomes in memory at once, some hundred bytes each. Beyond them requests are decided again, and the first report counts. */
export const MAX_OUTCOMES_IN_MEMORY = 2_000_000

const skipped = (count: number): string =>
  `${count} screen requests are not decided again: their reports are in the log.`

export interface DecidedParts {
  readonly transaction: Queryable
  readonly log: EventLog
  readonly notes: Notes
}

export async function skipDecidedRequests(parts: DecidedParts): Promise<void> {
  const outcomes = await outcomesSince(parts)
  const identity = await parts.log.identity()
  for (const lane of ['interactive', 'bulk'] as const) {
    const group = SCORER_GROUPS.find((name) => name.startsWith(`scorer.${lane}.`))!
    const positions: PartitionPosition[] = []
    const topics = [screenTopic(lane, true), screenTopic(lane, false)]
    for (const range of await unreadRanges(parts.transaction, parts.log, { group, topics })) {
      const { topic, partition } = range
      positions.push({ topic, partition, next: await firstUndecided(parts, { range, lane, outcomes }) })
    }
    await putCheckpoints(parts.transaction, { group, log: identity, positions })
  }
}

async function firstUndecided(
  { transaction, log, notes }: DecidedParts,
  at: { readonly range: LogRange; readonly lane: Lane; readonly outcomes: ReadonlySet<string> },
): Promise<number> {
  const { range, lane, outcomes } = at
  let next: number | null = null
  let decided = 0
  for await (const records of log.read(range)) {
    const keys = records.map(({ key }) => key)
    if (lane === 'bulk') await noteReleased(transaction, keys)
    if (next !== null) continue
    const known = await inReadModel(
      transaction,
      keys.filter((key) => !outcomes.has(key)),
    )
    const open = records.find(({ key }) => !outcomes.has(key) && !known.has(key))
    decided += open === undefined ? records.length : records.indexOf(open)
    next = open?.offset ?? null
  }
  notes.changed(skipped, decided)
  return next ?? range.to
}

async function inReadModel(
  transaction: Queryable,
  reportIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (reportIds.length === 0) return new Set()
  const rows = await transaction.query<{ reportId: string }>(
    `SELECT report_id AS "reportId" FROM ${reportView.schema}.report WHERE report_id = ANY ($1::text[])`,
    [reportIds],
  )
  return new Set(rows.map(({ reportId }) => reportId))
}

/** Reports and failures that the read model has not reached. */
async function outcomesSince({ transaction, log }: DecidedParts): Promise<ReadonlySet<string>> {
  const group = readModelGroup(reportView)
  const outcomes = new Set<string>()
  const topics = [topicOf('ReportGenerated', true), topicOf('ReportGenerated', false)]
  for (const range of await unreadRanges(transaction, log, { group, topics }))
    for await (const records of log.read(range)) {
      for (const { key } of records) outcomes.add(key)
      if (outcomes.size > MAX_OUTCOMES_IN_MEMORY) return outcomes
    }
  return outcomes
}
