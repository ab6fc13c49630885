/** Assigns instance numbers of a service to processes. A number belongs to one process at a time. */
import { randomUUID } from 'node:crypto'
import { readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Queryable } from '@cupel/postgres'

/** Numbers of instances: 0 to 1023. */
export const MAX_INSTANCE = 1_023
/** A process without a heartbeat for this long has lost its number: five heartbeats. */
export const STALE_MS = 10_000
/** Time between two checks of a process that has the number. */
const WATCH_EVERY_MS = 500

export interface Claimant {
  /** Name of the service, as in its folder. */
  readonly service: string
  readonly release: string
  /** Random name of this process. */
  readonly process: string
  readonly host: string
  /** A process id is unique only within it: containers with one host name may each have a process 1. */
  readonly pidNamespace: string
  readonly pid: number
  /** Whether a process of this namespace, other than this one, runs. */
  readonly isAlive: (pid: number) => boolean
  /** A process without a heartbeat for this long has lost its number. */
  readonly staleMs: number
}

export function claimantOf(service: string, release: string): Claimant {
  const [host, pidNamespace] = [hostname(), ownPidNamespace()]
  return {
    service,
    release,
    process: randomUUID(),
    host,
    pidNamespace,
    pid: process.pid,
    isAlive,
    staleMs: STALE_MS,
  }
}

/** Empty on systems without such namespaces. */
function ownPidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return ''
  }
}

/** Another process has the number of this one. */
export class InstanceTakenError extends Error {
  override readonly name = 'InstanceTakenError'
}

/**
 * Takes the number. A process that has it and still sends heartbeats keeps it: then this rejects with InstanceTakenError, at that process's
 * next heartbeat. A process that ended without giving it back loses it: at once if it ran on this host, else after `staleMs` without a
 * heartbeat. Rejects with errors of the database too.
 */
export async function claimInstance(
  database: Queryable,
  claimant: Claimant,
  instance: number,
): Promise<void> {
  let first: Holder | undefined
  let sinceMs = 0
  for (;;) {
    const [holder] = await readHolders(database, claimant.service, instance)
    if (holder?.process !== first?.process) {
      first = holder
      sinceMs = performance.now()
    }
    if (holder !== undefined && holder.seenAt !== first?.seenAt) throw taken(claimant, holder)
    // The clock of the database may have been set back since: then the time waited here decides.
    const isSilent = performance.now() - sinceMs > claimant.staleMs
    const ended = holder !== undefined && (isSilent || hasEnded(holder, claimant)) ? [holder.process] : []
    if (await take(database, claimant, { instance, ended })) return
    await sleep(WATCH_EVERY_MS)
  }
}

/** Takes the lowest number that no process has, and resolves to it. Rejects if none is free, and with errors of the database. */
export async function claimAnyInstance(database: Queryable, claimant: Claimant): Promise<number> {
  const holders = new Map(
    (await readHolders(database, claimant.service)).map((holder) => [holder.instance, holder]),
  )
  for (let instance = 0; instance <= MAX_INSTANCE; instance += 1) {
    const holder = holders.get(instance)
    const ended = holder !== undefined && hasEnded(holder, claimant) ? [holder.process] : []
    if (holder !== undefined && holder.ageMs < claimant.staleMs && ended.length === 0) continue
    if (await take(database, claimant, { instance, ended })) return instance
  }
  throw new InstanceTakenError(
    `Each number from 0 to ${MAX_INSTANCE} is that of a running process of the ${claimant.service}.`,
  )
}

export interface Taking {
  readonly instance: number
  /** Processes that are known to have ended. */
  readonly ended?: readonly string[]
  readonly failing?: readonly string[]
}

/** Takes the number if it is free, or if its holder sent no heartbeat for `staleMs`; resolves to whether it did. */
export async function take(
  database: Queryable,
  { service, process, host, pidNamespace, pid, release, staleMs }: Claimant,
  { instance, ended = [], failing = ['started'] }: Taking,
): Promise<boolean> {
  const taken = await database.execute(
    `INSERT INTO heartbeats.process AS held
       (service, instance, process, host, pid_namespace, pid, release, started_at, seen_at, skew_ms, failing)
     SELECT $1, $2, $3, $4, $11, $5, $6, at, at, ${skewMsAt('$7')}, $8
     FROM (SELECT clock_timestamp() AS at) AS now
     ON CONFLICT (service, instance) DO UPDATE SET process = excluded.process, host = excluded.host,
       pid_namespace = excluded.pid_namespace, pid = excluded.pid, release = excluded.release, started_at = excluded.started_at,
       seen_at = excluded.seen_at, skew_ms = excluded.skew_ms, failing = excluded.failing
     WHERE held.process = ANY($9::uuid[]) OR held.process = excluded.process
       OR held.seen_at < clock_timestamp() - make_interval(secs => $10)`,
    [
      ...[service, instance, process, host, pid, release, Date.now(), failing, ended, staleMs / 1_000],
      pidNamespace,
    ],
  )
  return taken > 0
}

/** Time of the database minus that of the machine, which `parameter` names in milliseconds since 1970. */
export const skewMsAt = (parameter: string): string =>
  `round(extract(epoch FROM clock_timestamp()) * 1000 - ${parameter}::float8)`

interface Holder {
  readonly instance: number
  readonly process: string
  readonly host: string
  readonly pidNamespace: string
  readonly pid: number
  readonly seenAt: string
  /** Age by the clock of the database. */
  readonly ageMs: number
}

async function readHolders(database: Queryable, service: string, instance?: number): Promise<Holder[]> {
  return await database.query<Holder>(
    `SELECT instance, process, host, pid_namespace AS "pidNamespace", pid, seen_at::text AS "seenAt",
       extract(epoch FROM clock_timestamp() - seen_at)::float8 * 1000 AS "ageMs"
     FROM heartbeats.process WHERE service = $1 AND ($2::int4 IS NULL OR instance = $2)`,
    [service, instance ?? null],
  )
}

/** Two processes of one namespace never have one process id at a time: a holder with the id of this process has ended. */
function hasEnded(holder: Holder, { host, pidNamespace, pid, isAlive: alive }: Claimant): boolean {
  if (holder.host !== host || holder.pidNamespace !== pidNamespace) return false
  return holder.pid === pid || !alive(holder.pid)
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it runs, as another user.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

function taken({ service }: Claimant, { instance, host, pid }: Holder): InstanceTakenError {
  return new InstanceTakenError(
    `Instance ${instance} of the ${service} runs already, as process ${pid} on ${host}. Give each instance a CUPEL_INSTANCE of its own, or set it to auto.`,
  )
}
