/** What has stopped or stands still: `cupel status`, `cupel doctor` and the API call it a fault, and say the same of it. */
import { topicSpecs } from '@cupel/contracts'
import type { EventLog } from '@cupel/event-log'
import { listComparedRows, uncomparedOf } from '@cupel/projections/heartbeats'
import { followerFault, listFollowers } from '@cupel/ledger'
import type { Database } from '@cupel/postgres'
import {
  listCheckpoints,
  listProjectionStatuses,
  listRetentionRuns,
  outboxBacklog,
  readModelGroup,
  retentionFault,
} from '@cupel/projections'
import { readModels } from '../read-models/index.js'
import {
  archiveFault,
  readArchives,
  readCosigning,
  readStanding,
  standstillOf,
  uncosignedOf,
} from '@cupel/evidence/transparency'
import { watchStandstills } from '@cupel/watches'
import { readLaggingReplicas, readWaiting } from './waiting-work.js'

export interface Standstill {
  /** A part of the core, or a feature. */
  readonly part: string
  /** What is at fault, as a sentence. */
  readonly detail: string
  readonly remedy: string
}

export interface StandstillParts {
  readonly database: Database
  readonly log: EventLog
}

/** The group of a restore. */
export const RESTORE_GROUP = 'cli.restore.v1'

const TRANSPARENCY_RUNBOOK = 'docs/runbooks/the-transparency-log-stopped.md'
const ARCHIVE_RUNBOOK = 'docs/archive.md#an-archive-that-is-late'
const RETENTION_PAGE = 'docs/retention.md#every-day'
const FOLLOW_PAGE = 'docs/follow.md#when-a-follower-stops'
/** An event that is not appended for this long has no relay. */
const MAX_OUTBOX_AGE_MS = 60_000
/** A running projection stores its state every two seconds. */
const MAX_UNSEEN_MS = 60_000

/** What is looked for, each by itself, so that one that cannot be read hides no other. */
export const standstillLooks: Readonly<
  Record<string, (parts: StandstillParts) => Promise<readonly Standstill[]>>
> = {
  'transparency log': transparencyStandstill,
  witnesses: witnessStandstill,
  archives: archiveStandstills,
  retention: retentionStandstills,
  projections: stoppedProjections,
  'lag of the projections': unseenProjections,
  outbox: outboxStandstill,
  'compared rows': rowsStandstills,
  followers: followerStandstills,
  watches: watchStandstills,
  'waiting work': readWaiting,
  'replicas of the log': readLaggingReplicas,
}

export async function readStandstills(parts: StandstillParts): Promise<readonly Standstill[]> {
  const found = await Promise.all(Object.values(standstillLooks).map((look) => look(parts)))
  return found.flat()
}

async function transparencyStandstill({ database, log }: StandstillParts): Promise<Standstill[]> {
  const standing = await readStanding(database, log, topicSpecs)
  const detail = standing === null ? null : standstillOf(standing)
  return detail === null ? [] : [{ part: 'transparency log', detail, remedy: TRANSPARENCY_RUNBOOK }]
}

async function witnessStandstill({ database, log }: StandstillParts): Promise<Standstill[]> {
  const cosigning = await readCosigning(database, await log.identity())
  const detail = cosigning === null ? null : uncosignedOf(cosigning)
  return detail === null ? [] : [{ part: 'witnesses', detail, remedy: TRANSPARENCY_RUNBOOK }]
}

async function archiveStandstills({ database, log }: StandstillParts): Promise<Standstill[]> {
  const archives = await readArchives(database, await log.identity())
  return archives.flatMap((archive) => {
    const detail = archiveFault(archive)
    return detail === null ? [] : [{ part: 'archive' as const, detail, remedy: ARCHIVE_RUNBOOK }]
  })
}

async function retentionStandstills({ database }: StandstillParts): Promise<Standstill[]> {
  return (await listRetentionRuns(database)).flatMap((runs) => {
    const detail = retentionFault(runs)
    return detail === null ? [] : [{ part: 'retention', detail, remedy: RETENTION_PAGE }]
  })
}

/** From the database: a log that cannot be read hides none of them. */
async function stoppedProjections({ database }: StandstillParts): Promise<Standstill[]> {
  return (await listProjectionStatuses(database)).flatMap(({ name, state, error }) => {
    const why = error ?? 'without a reason'
    if (state === 'stopped') return [projectionStandstill(`The projection ${name} has stopped: ${why}.`)]
    if (state !== 'retrying') return []
    return [projectionStandstill(`The projection ${name} cannot go on, and tries again: ${why}.`)]
  })
}

async function unseenProjections(parts: StandstillParts): Promise<Standstill[]> {
  const [statuses, lags] = await Promise.all([listProjectionStatuses(parts.database), readLag(parts)])
  const groups = new Map<string, string>(readModels.map((each) => [each.name, readModelGroup(each)]))
  return statuses.flatMap(({ name, state, seenAgeMs }) => {
    const lag = lags.find(({ group }) => group === groups.get(name))?.lag ?? 0
    if (state === 'stopped' || state === 'retrying' || lag === 0 || seenAgeMs <= MAX_UNSEEN_MS) return []
    const age = `${Math.round(seenAgeMs / 1_000)} s ago`
    return [
      projectionStandstill(`The projection ${name} was last seen ${age}, and ${lag} records wait for it.`),
    ]
  })
}

const projectionStandstill = (detail: string): Standstill => ({
  ...{ part: 'projection', detail, remedy: 'docs/runbooks/a-projection-stopped.md' },
})

async function outboxStandstill({ database }: StandstillParts): Promise<Standstill[]> {
  const { waiting, oldestAgeMs } = await outboxBacklog(database)
  if (waiting === 0 || oldestAgeMs <= MAX_OUTBOX_AGE_MS) return []
  const detail = `${waiting} events wait in the outbox since ${Math.round(oldestAgeMs / 1_000)} s.`
  return [{ part: 'outbox', detail, remedy: 'Start the projector, or read its log.' }]
}

/** Rows that no scorer compares with the log may be altered unseen. */
async function rowsStandstills({ database }: StandstillParts): Promise<Standstill[]> {
  const faults = uncomparedOf(await listComparedRows(database))
  return faults.map((detail) => ({ part: 'rows', detail, remedy: 'docs/runbooks/rows-are-not-compared.md' }))
}

/** A chain that nobody follows any more looks like one on which nothing moves. */
async function followerStandstills({ database }: StandstillParts): Promise<Standstill[]> {
  return (await listFollowers(database)).flatMap((follower) => {
    const detail = followerFault(follower)
    return detail === null ? [] : [{ part: 'follower' as const, detail, remedy: FOLLOW_PAGE }]
  })
}

/** The lag per group, from the checkpoints and the ends of the partitions; a partition without a checkpoint counts from its start. */
export async function readLag({
  database,
  log,
}: StandstillParts): Promise<{ readonly group: string; readonly lag: number }[]> {
  // A restore reads only while it runs.
  const checkpoints = (await listCheckpoints(database)).filter(({ group }) => group !== RESTORE_GROUP)
  const lags = new Map<string, number>()
  await Promise.all(
    checkpoints.map(async ({ group, topic, partition, next }) => {
      const end = await log.endOffset(topic, partition)
      lags.set(group, (lags.get(group) ?? 0) + Math.max(0, end - next))
    }),
  )
  return [...lags].map(([group, lag]) => ({ group, lag })).sort((a, b) => a.group.localeCompare(b.group))
}
