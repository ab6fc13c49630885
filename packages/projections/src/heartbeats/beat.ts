/** The heartbeat of a process: every two seconds it reports that it runs, and which of its checks fail. */
import { startLoop } from '@cupel/kit/concurrency'
import type { Queryable } from '@cupel/postgres'
import { claimAnyInstance, claimInstance, skewMsAt, take, type Claimant } from './claim-instance.js'

/** Time between two heartbeats. */
const BEAT_EVERY_MS = 2_000

export interface Heartbeat {
  /** Number of this process among the instances of its service. */
  readonly instance: number
  /** Gives the number back. Never rejects: without a database the number is free after some seconds. */
  stop(): Promise<void>
}

export interface HeartbeatOptions {
  readonly database: Queryable
  readonly claimant: Claimant
  /** The number to take; `auto` for the lowest free one. */
  readonly instance: number | 'auto'
  /** Names of the failing readiness checks. */
  readonly failing: () => readonly string[]
  /** Another process took the number while this one could not send heartbeats. Called once. */
  readonly onLost: (sentence: string) => void
}

/** Rejects with InstanceTakenError if another process has the number, and with errors of the database. */
export async function startHeartbeat(options: HeartbeatOptions): Promise<Heartbeat> {
  const { database, claimant } = options
  const { service, process } = claimant
  const instance = await claim(options)
  let isLost = false

  const beat = async (): Promise<void> => {
    if (isLost) return
    const failing = options.failing()
    const told = await database.execute(
      {
        name: 'heartbeats.beat',
        text: `UPDATE heartbeats.process
           SET seen_at = clock_timestamp(), skew_ms = ${skewMsAt('$4')}, failing = $5
         WHERE service = $1 AND instance = $2 AND process = $3`,
      },
      [service, instance, process, Date.now(), failing],
    )
    // A restored database has the row of an earlier process, or none.
    if (told > 0 || (await take(database, claimant, { instance, failing }))) return
    isLost = true
    options.onLost(
      `Another process took the number ${instance} of this ${service} while this one was not seen. This one ends.`,
    )
  }
  // The checks of the service report an unreachable database.
  const loop = startLoop({ step: beat, restMs: BEAT_EVERY_MS, onError: () => undefined })
  return {
    instance,
    async stop() {
      await loop.stop()
      await database
        .execute('DELETE FROM heartbeats.process WHERE service = $1 AND instance = $2 AND process = $3', [
          ...[service, instance, process],
        ])
        .catch(() => undefined)
    },
  }
}

async function claim({ database, claimant, instance }: HeartbeatOptions): Promise<number> {
  if (instance === 'auto') return await claimAnyInstance(database, claimant)
  await claimInstance(database, claimant, instance)
  return instance
}
