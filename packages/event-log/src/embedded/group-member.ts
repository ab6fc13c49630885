/** Membership of a group: a sign of life every second, which keeps partitions, takes free ones and tells which to give up. */
import { randomUUID } from 'node:crypto'
import type { Logger } from '@cupel/contracts'
import type { Database, Queryable } from '@cupel/postgres'

export const HEARTBEAT_INTERVAL_MS = 1_000
/** A member not heard of for this long has lost its partitions, where nothing else is asked for. */
export const LEASE_MS = 6_000
/** While a partition is awaited from another member it is asked for more often. */
const AWAITING_INTERVAL_MS = 200

export interface GroupMemberOptions {
  readonly database: Database
  readonly group: string
  readonly partitionIds: readonly number[]
  readonly logger: Logger
  readonly leaseMs: number
  /** What this member holds now, and which of it it is to give up as soon as it can. Called after every sign of life. */
  readonly onPartitions: (held: ReadonlySet<number>, leaving: ReadonlySet<number>) => void
}

export interface GroupMember {
  /** Gives a partition up, after the last batch of it was handled. */
  release(partitionId: number): void
  leave(): Promise<void>
}

interface StateRow extends Record<string, unknown> {
  readonly partition_id: number
  readonly state: 'held' | 'leaving' | 'awaited'
}

const HEARTBEAT = {
  name: 'log.heartbeat',
  text: 'SELECT partition_id, state FROM log.heartbeat($1, $2, $3, $4, $5)',
}

/** Rejects where the first sign of life did not reach the database. */
export async function joinGroup({
  database,
  group,
  partitionIds,
  logger,
  leaseMs,
  onPartitions,
}: GroupMemberOptions): Promise<GroupMember> {
  const memberId = randomUUID()
  const intervalMs = Math.min(HEARTBEAT_INTERVAL_MS, leaseMs / 3)
  let released: number[] = []
  let left = false
  let heardAt = performance.now()
  let timer: NodeJS.Timeout | undefined
  let beating: Promise<void> | null = null
  let beatAgain = false

  async function heartbeat(): Promise<boolean> {
    const releasing = released
    released = []
    const askedAt = performance.now()
    let rows: StateRow[]
    try {
      rows = await database.query<StateRow>(HEARTBEAT, [group, memberId, partitionIds, releasing, leaseMs])
    } catch (error) {
      released.push(...releasing)
      throw error
    }
    heardAt = askedAt
    const inState = (state: StateRow['state']) =>
      rows.filter((row) => row.state === state).map((row) => row.partition_id)
    if (!left) onPartitions(new Set(inState('held')), new Set(inState('leaving')))
    return inState('awaited').length > 0
  }

  function beat(): void {
    if (left) return
    if (beating !== null) {
      beatAgain = true
      return
    }
    clearTimeout(timer)
    beating = heartbeat()
      .catch((error: unknown) => {
        logger.warn({ error, group }, 'The sign of life of a group member did not reach the log')
        // Others may have taken over by now; what is still in hand is fenced by its checkpoint.
        if (performance.now() - heardAt > leaseMs && !left) onPartitions(new Set(), new Set())
        return false
      })
      .then((awaiting) => {
        beating = null
        if (left) return
        timer = setTimeout(beat, beatAgain ? 0 : awaiting ? AWAITING_INTERVAL_MS : intervalMs)
        beatAgain = false
      })
  }

  const awaiting = await heartbeat()
  timer = setTimeout(beat, awaiting ? AWAITING_INTERVAL_MS : intervalMs)

  return {
    release(partitionId) {
      released.push(partitionId)
      beat()
    },
    async leave() {
      left = true
      clearTimeout(timer)
      await beating
      try {
        await database.execute('DELETE FROM log.group_member WHERE group_name = $1 AND member_id = $2', [
          group,
          memberId,
        ])
      } catch (error) {
        logger.warn(
          { error, group },
          'Leaving the group did not reach the log; its partitions are free when the lease ends',
        )
      }
    },
  }
}

/**
 * Frees what members held, however they ended. Only for whoever knows that none lives: the start of an installation that has
 * just taken its folder. A member that lives all the same notices at its next sign of life and joins again.
 */
export async function forgetGroupMembers(database: Queryable): Promise<void> {
  await database.execute('DELETE FROM log.group_member')
}
