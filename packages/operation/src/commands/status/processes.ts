/** The services of a cluster, by the heartbeats of their processes. */
import { listProcesses, type ProcessSeen } from '@cupel/projections/heartbeats'
import type { RunFile } from '@cupel/local-stack'
import type { Queryable } from '@cupel/postgres'
import { missingServices } from '../../health/index.js'
import { probeReadiness } from '@cupel/command-line/installation'

export interface ServiceState {
  readonly name: string
  readonly ready: boolean
  /** False for a process whose heartbeats ended: it is forgotten after a day, or when another one takes its number. */
  readonly is_seen: boolean
  readonly detail: string
  /** Null for a service of which only the heartbeat is known. */
  readonly health_url: string | null
  /** Null for a service of an installation on this machine, which answers directly. */
  readonly heartbeat: {
    readonly host: string
    readonly pid: number
    readonly release: string
    readonly started_at: string
    readonly age_ms: number
    readonly clock_skew_ms: number
  } | null
}

export interface Services {
  readonly services: readonly ServiceState[]
  /** Services that an installation needs and that have no running process; empty while nothing runs at all. */
  readonly missing: readonly string[]
  readonly running: boolean
}

/** `run` is the local installation that runs; null if there is none: then heartbeats tell of the services, on whatever machine. */
export async function readServices(database: Queryable, run: RunFile | null): Promise<Services> {
  if (run !== null)
    return { services: await Promise.all(run.services.map(probed)), missing: [], running: true }
  const processes = await listProcesses(database)
  return {
    services: processes.map(told),
    missing: missingServices(processes),
    running: processes.some(({ isSeen }) => isSeen),
  }
}

/** A service of a local installation, by its own answer. */
async function probed({ name, healthUrl }: RunFile['services'][number]): Promise<ServiceState> {
  const { ready, detail } = await probeReadiness(healthUrl)
  return { name, ready, is_seen: true, detail, health_url: healthUrl, heartbeat: null }
}

/** A service on any machine, by its heartbeat. */
export function told(process: ProcessSeen): ServiceState {
  const { service, instance, isSeen, failing, host, pid, release, startedAt, seenAgeMs, skewMs } = process
  return {
    name: `${service}-${instance}`,
    ready: isSeen && failing.length === 0,
    is_seen: isSeen,
    detail: isSeen ? failing.join(', ') : `not seen for ${Math.round(seenAgeMs / 1_000)} s`,
    health_url: null,
    heartbeat: { host, pid, release, started_at: startedAt, age_ms: seenAgeMs, clock_skew_ms: skewMs },
  }
}
