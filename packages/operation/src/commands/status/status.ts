/** The health of an installation: services, lag and dead letters. */
import { readBacklogSize } from '@cupel/bulk/worker'
import { plans } from '@cupel/domain'
import type { EventLog } from '@cupel/event-log'
import type { Queryable } from '@cupel/postgres'
import { listComparedRows } from '@cupel/projections/heartbeats'
import { listProjectionStatuses, listRetiredMonths, outboxBacklog } from '@cupel/projections'
import { certainSkewMs, measureClock } from '../../connections/index.js'
import { readDeadLetters, readLag, readStandstills, type Standstill } from '../../health/index.js'
import { readDiskSpace, type Config } from '@cupel/kit/service'
import type { Connections } from '@cupel/command-line/installation'
import { cosigningOf, type Cosigning } from './cosigning.js'
import { readServices, type ServiceState } from './processes.js'

export interface Status {
  /** Whether the installation runs without a fault. */
  readonly healthy: boolean
  /** Whether a process of the installation runs, on this machine or, according to heartbeats, on another one. */
  readonly running: boolean
  readonly profile: 'embedded' | 'kafka'
  readonly base_urls: readonly string[]
  readonly log: {
    readonly kind: EventLog['kind']
    readonly identity: string
    readonly brokers: readonly string[]
    readonly registry: string | null
  }
  readonly services: readonly ServiceState[]
  /** Services that an installation needs and that have no running process; empty while nothing runs at all. */
  readonly missing_services: readonly string[]
  /** Records that the group has not processed yet. */
  readonly groups: readonly { readonly group: string; readonly lag: number }[]
  readonly projections: readonly {
    readonly name: string
    readonly state: string
    readonly error: string | null
    readonly stopped_at: {
      readonly topic: string
      readonly partition: number
      readonly offset: number
    } | null
    readonly seen_age_ms: number
  }[]
  readonly dead_letters: readonly { readonly topic: string; readonly records: number }[]
  readonly outbox: { readonly waiting: number; readonly oldest_age_ms: number }
  /** How far each scorer is with the comparison of all rows of labels and of the ledger with the log; empty if none runs. */
  readonly compared_rows: readonly {
    readonly kind: string
    /** Since the last whole comparison, or the start of the scorer. */
    readonly age_ms: number
    readonly fault: string | null
  }[]
  /** The months that were handed to an archive, oldest first. */
  readonly retired_months: readonly {
    readonly month: string
    /** What gave its reports away: `database` or `log`. */
    readonly store: string
    readonly reports: number
    readonly archive: string
    readonly begun_at: string
    /** Null if a run was cut off, and something of the month is still there. */
    readonly ended_at: string | null
  }[]
  /** What has stopped or stands still, also on another machine. */
  readonly standstills: readonly Standstill[]
  /** Null if no witness is asked. */
  readonly cosigning: Cosigning | null
  /** Bulk work that is accepted and not done. */
  readonly backlog: {
    readonly open_jobs: number
    readonly waiting_screenings: number
    /** Figures of the account that has most of them. */
    readonly largest_account: { readonly open_jobs: number; readonly waiting_screenings: number }
    /** Limits of one account for both, by its plan. */
    readonly limits: Readonly<
      Record<string, { readonly open_jobs: number; readonly waiting_screenings: number }>
    >
  }
  /** Time of the database minus that of this machine. */
  readonly clock_skew_ms: number
  /** The volume of the installation; null if its data is elsewhere. */
  readonly disk: {
    readonly free_bytes: number
    readonly total_bytes: number
    readonly watermark_bytes: number
    /** Whether new work is refused. */
    readonly is_low: boolean
  } | null
}

/** `home`: the folder of the installation. */
export async function readStatus(connections: Connections, home: string): Promise<Status> {
  const { database, log, run, config, profile } = connections
  const [
    identity,
    { services, missing, running },
    groups,
    projections,
    outbox,
    deadLetters,
    backlog,
    clock,
    disk,
  ] = await Promise.all([
    log.identity(),
    readServices(database, run),
    readLag(connections),
    listProjectionStatuses(database),
    outboxBacklog(database),
    readDeadLetters(log),
    readBacklogSize(database),
    measureClock(database, Date.now),
    readDiskSpace(home, config.CUPEL_DISK_WATERMARK),
  ])
  const cosigning = await cosigningOf(connections, identity)
  const standstills = await readStandstills(connections)
  const compared = await listComparedRows(database)
  const status = {
    running,
    profile,
    base_urls: run?.baseUrls ?? [],
    log: { kind: log.kind, identity, brokers: config.CUPEL_KAFKA_BROKERS, registry: run?.registry ?? null },
    services,
    missing_services: missing,
    groups,
    projections: projections.map(({ name, state, error, stoppedAt, seenAgeMs }) => ({
      name,
      state,
      error,
      stopped_at: stoppedAt,
      seen_age_ms: seenAgeMs,
    })),
    dead_letters: deadLetters,
    outbox: { waiting: outbox.waiting, oldest_age_ms: outbox.oldestAgeMs },
    compared_rows: compared.map(({ kind, ageMs, fault }) => ({ kind, age_ms: ageMs, fault })),
    ...{ standstills, cosigning, retired_months: await readRetiredMonths(database) },
    backlog: {
      open_jobs: backlog.openJobs,
      waiting_screenings: backlog.waitingScreenings,
      largest_account: {
        open_jobs: backlog.largestAccount.openJobs,
        waiting_screenings: backlog.largestAccount.waitingScreenings,
      },
      limits: backlogLimits(config),
    },
    clock_skew_ms: Math.round(Math.sign(clock.differenceMs) * certainSkewMs(clock)),
    disk:
      disk === null
        ? null
        : {
            free_bytes: disk.freeBytes,
            total_bytes: disk.totalBytes,
            watermark_bytes: disk.watermarkBytes,
            is_low: disk.isLow,
          },
  }
  return { healthy: isHealthy(status), ...status }
}

async function readRetiredMonths(database: Queryable): Promise<Status['retired_months']> {
  const months = await listRetiredMonths(database)
  return months.map(({ begunAt, endedAt, ...month }) => ({ ...month, begun_at: begunAt, ended_at: endedAt }))
}

/** As the API applies them. */
function backlogLimits(
  config: Pick<Config, 'CUPEL_ENTERPRISE_OPEN_JOBS' | 'CUPEL_ENTERPRISE_WAITING_ITEMS'>,
): Status['backlog']['limits'] {
  const limits = Object.entries(plans).map(([name, { maxOpenJobs, maxWaitingItems }]) => [
    name,
    { open_jobs: maxOpenJobs, waiting_screenings: maxWaitingItems },
  ])
  const enterprise = {
    open_jobs: config.CUPEL_ENTERPRISE_OPEN_JOBS,
    waiting_screenings: config.CUPEL_ENTERPRISE_WAITING_ITEMS,
  }
  return { ...(Object.fromEntries(limits) as Status['backlog']['limits']), enterprise }
}

function isHealthy(status: Omit<Status, 'healthy'>): boolean {
  return (
    status.running &&
    status.missing_services.length === 0 &&
    status.services.every(({ ready }) => ready) &&
    status.standstills.length === 0 &&
    status.dead_letters.every(({ records }) => records === 0) &&
    status.disk?.is_low !== true
  )
}
