/**
 * Hurries a reader of the log that rests. A caller that waits for a consumer's checkpoint nudges its group, and the member that reads for
 * the group continues at once. A nudge may get lost; the wait then lasts as long as the rest.
 */
import { startLoop } from '@cupel/kit/concurrency'
import type { Logger } from '@cupel/contracts'
import { listen, type Database, type ListeningConnection, type Queryable } from '@cupel/postgres'

/** The channel belongs to the database: installations in one database share it. The trigger of the outbox names it too. */
const CHANNEL = 'cupel_nudge'
/** Pause before the next attempt to connect. */
const RETRY_MS = 1_000

// A lost nudge does no harm, so its commit does not wait for the disk.
const NUDGE = {
  name: 'projection.nudge',
  text: `SELECT set_config('synchronous_commit', 'off', true), pg_notify('${CHANNEL}', g) FROM unnest($1::text[]) AS g`,
}

export async function nudge(database: Queryable, groups: readonly string[]): Promise<void> {
  await database.query(NUDGE, [[...new Set(groups)]])
}

interface Member {
  readonly group: string
  readonly hurry: () => void
}

interface Hub {
  readonly members: Set<Member>
  stop(): Promise<void>
}

const hubs = new WeakMap<Database, Hub>()

/** Calls `hurry` when a caller waits for the group. All members that share `database` share one connection beside its pool. */
export function onNudge(database: Database, member: Member, logger: Logger): { stop(): Promise<void> } {
  const hub = hubs.get(database) ?? openHub(database, logger)
  hubs.set(database, hub)
  hub.members.add(member)
  return {
    async stop() {
      if (!hub.members.delete(member) || hub.members.size > 0) return
      hubs.delete(database)
      await hub.stop()
    },
  }
}

function openHub(database: Database, logger: Logger): Hub {
  const members = new Set<Member>()
  let connection: ListeningConnection | null = null
  const loop = startLoop({
    async step(signal) {
      connection = await listen(database.connection, CHANNEL, (group) => {
        for (const member of members) if (member.group === group) member.hurry()
      })
      if (signal.aborted) await connection.close()
      // The callers of earlier nudges still wait.
      for (const { hurry } of members) hurry()
      await connection.ended
    },
    restMs: RETRY_MS,
    // Readers rest their full time; there is no other effect.
    onError: (error) => logger.debug({ err: error }, 'Nudges are not heard now'),
  })
  return {
    members,
    async stop() {
      const stopped = loop.stop()
      await connection?.close()
      await stopped
    },
  }
}
