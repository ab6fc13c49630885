/**
 * The health of the installation, as far as this process sees it in the database and the log. What cannot be read is named, and is no
 * better than a fault: who knows less never says that all is well.
 */
import type { Logger } from '@cupel/contracts'
import type { EventLog } from '@cupel/event-log'
import { listProcesses, type ProcessSeen } from '@cupel/projections/heartbeats'
import type { Database } from '@cupel/postgres'
import { listProjectionStatuses, type StoredProjectionStatus } from '@cupel/projections'
import {
  missingServices,
  readDeadLetters,
  readLag,
  standstillLooks,
  type Standstill,
} from '../health/index.js'

export interface HealthParts {
  readonly database: Database
  readonly log: EventLog
  readonly logger: Logger
}

export interface InstallationHealth {
  /** `fault`: something has stopped or waits. `unknown`: nothing is known to be wrong, and something cannot be read. */
  readonly state: 'healthy' | 'fault' | 'unknown'
  readonly processes: readonly ProcessSeen[]
  /** Services that no process runs. */
  readonly missing: readonly string[]
  readonly standstills: readonly Standstill[]
  readonly lags: readonly { readonly group: string; readonly lag: number }[]
  readonly projections: readonly StoredProjectionStatus[]
  readonly deadLetters: readonly { readonly topic: string; readonly records: number }[]
  /** What could not be read. */
  readonly unread: readonly string[]
}

/** What only `cupel doctor` looks at, where it runs: this process has no right or no way to see it. */
export const notLookedAt = [
  'certificates',
  'settings of the services',
  'rights of the database users',
  'schemas of the registry',
  'volumes of other machines',
] as const

/** One look takes no longer, in milliseconds. */
const LOOK_TIMEOUT_MS = 10_000

/** Resolves also if nothing can be read. */
export async function readInstallationHealth(parts: HealthParts): Promise<InstallationHealth> {
  const { database, log, logger } = parts
  const unread: string[] = []
  const look = async <T>(name: string, read: () => Promise<T>, otherwise: T): Promise<T> => {
    try {
      return await inTime(read())
    } catch (err) {
      logger.warn({ err, part: name }, 'A part of the health of the installation could not be read')
      unread.push(name)
      return otherwise
    }
  }
  const [processes, lags, projections, deadLetters, ...found] = await Promise.all([
    look('processes', () => listProcesses(database), []),
    look('lag', () => readLag(parts), []),
    look('state of the projections', () => listProjectionStatuses(database), []),
    look('dead letters', () => readDeadLetters(log), []),
    ...Object.entries(standstillLooks).map(([name, read]) => look(name, () => read(parts), [])),
  ])
  const seen = { processes, missing: missingServices(processes), standstills: found.flat(), deadLetters }
  // Services in one process send no heartbeats: this answer shows that the process runs.
  if (processes.length === 0 && log.kind !== 'embedded' && !unread.includes('processes'))
    unread.push('processes')
  return { state: stateOf(seen, unread), ...seen, lags, projections, unread: unread.sort() }
}

function stateOf(
  seen: Pick<InstallationHealth, 'processes' | 'missing' | 'standstills' | 'deadLetters'>,
  unread: readonly string[],
): InstallationHealth['state'] {
  const { processes, missing, standstills, deadLetters } = seen
  const isFaulty =
    missing.length > 0 ||
    standstills.length > 0 ||
    processes.some(({ isSeen, failing }) => !isSeen || failing.length > 0) ||
    deadLetters.some(({ records }) => records > 0)
  if (isFaulty) return 'fault'
  return unread.length > 0 ? 'unknown' : 'healthy'
}

async function inTime<T>(reading: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${LOOK_TIMEOUT_MS} ms`)), LOOK_TIMEOUT_MS)
  })
  try {
    return await Promise.race([reading, late])
  } finally {
    clearTimeout(timer)
  }
}
