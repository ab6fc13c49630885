/** Membership of a group: a heartbeat every two seconds keeps partitions, takes free ones and releases those to give up. */
import { randomUUID } from 'node:crypto'
import { createBatcher, startLoop } from '@cupel/kit/concurrency'
import type { Logger } from '@cupel/contracts'
import type { Database, Queryable } from '@cupel/postgres'

const HEARTBEAT_INTERVAL_MS = 2_000
/** By default a member without a heartbeat for this long has lost its partitions. */
export const LEASE_MS = 6_000
/** The interval while this member waits for a partition of another member. */
const AWAITING_INTERVAL_MS = 200

export interface GroupMemberOptions {
  readonly database: Database
  readonly heartbeat: SendHeartbeat
  readonly group: string
  readonly partitionIds: readonly number[]
  readonly logger: Logger
  readonly leaseMs: number
  /** The partitions that this member holds, and those of them that it must give up soon. Called after every heartbeat. */
  readonly onPartitions: (held: ReadonlySet<number>, leaving: ReadonlySet<number>) => void
}

export interface GroupMember {
  /** Gives up a partition after its last batch was handled. */
  release(partitionId: number): void
  leave(): Promise<void>
}

interface PartitionState {
  readonly id: number
  readonly state: 'held' | 'leaving' | 'awaited'
}

/** The arguments of `log.heartbeat`. */
interface Heartbeat {
  readonly of_group: string
  readonly of_member: string
  readonly subscribed: readonly number[]
  readonly released: readonly number[]
  readonly lease_ms: number
}

export type SendHeartbeat = (heartbeat: Heartbeat) => Promise<readonly PartitionState[]>

// Every process takes the locks of the groups in the same order.
const HEARTBEATS = {
  name: 'log.heartbeats',
  text: `
    SELECT beat.place, told.partition_id AS id, told.state
    FROM (SELECT * FROM json_to_recordset($1) AS b
      (place int4, of_group text, of_member uuid, subscribed int4[], released int4[], lease_ms int4)
      ORDER BY of_group, of_member) AS beat
    CROSS JOIN LATERAL log.heartbeat(of_group, of_member, subscribed, released, lease_ms) AS told`,
}

/** Members of one process that send at the same moment share a statement. */
export function createHeartbeats(database: Queryable): SendHeartbeat {
  const { add } = createBatcher<Heartbeat, readonly PartitionState[]>({
    async run(heartbeats) {
      const told = JSON.stringify(heartbeats.map((one, place) => ({ place, ...one })))
      const rows = await database.query<PartitionState & { readonly place: number }>(HEARTBEATS, [told])
      return heartbeats.map((_one, place) => rows.filter((row) => row.place === place))
    },
  })
  return add
}

/** Rejects if the first heartbeat did not reach the database. */
export async function joinGroup(options: GroupMemberOptions): Promise<GroupMember> {
  const { group, partitionIds, logger, leaseMs, onPartitions } = options
  const memberId = randomUUID()
  const intervalMs = Math.min(HEARTBEAT_INTERVAL_MS, leaseMs / 3)
  let released: number[] = []
  let hasLeft = false
  let heardAt = performance.now()

  /** Returns the time until the next one. */
  async function heartbeat(): Promise<number> {
    const releasing = released
    released = []
    const askedAt = performance.now()
    const states = await options
      .heartbeat({
        ...{ of_group: group, of_member: memberId, subscribed: partitionIds },
        ...{ released: releasing, lease_ms: leaseMs },
      })
      .catch((error: unknown) => {
        released.push(...releasing)
        throw error
      })
    heardAt = askedAt
    const inState = (state: PartitionState['state']) =>
      states.filter((one) => one.state === state).map(({ id }) => id)
    if (!hasLeft) onPartitions(new Set(inState('held')), new Set(inState('leaving')))
    if (inState('awaited').length > 0) return AWAITING_INTERVAL_MS
    // All members of the process send at the same moments.
    return intervalMs - (performance.now() % intervalMs)
  }

  const beating = startLoop({
    firstAfterMs: await heartbeat(),
    step: heartbeat,
    restMs: intervalMs,
    onError(error) {
      logger.warn({ error, group }, 'The heartbeat of a group member did not reach the log')
      // Other members may have the partitions by now; the checkpoint fences the current work.
      if (performance.now() - heardAt > leaseMs) onPartitions(new Set(), new Set())
      // A short outage costs no lease.
      return intervalMs / 2
    },
  })

  return {
    release(partitionId) {
      released.push(partitionId)
      beating.wake()
    },
    async leave() {
      hasLeft = true
      await beating.stop()
      await removeMember(options, memberId)
    },
  }
}

async function removeMember(
  { database, group, logger }: GroupMemberOptions,
  memberId: string,
): Promise<void> {
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
}

/**
 * Frees the partitions of all members. Only for a caller that knows that no member is running: the start of an installation that has just
 * locked its folder. A member that is running nevertheless notices at its next heartbeat and joins again.
 */
export async function forgetGroupMembers(database: Queryable): Promise<void> {
  await database.execute('DELETE FROM log.group_member')
}
