/**
 * Stays a member of a consumer group: joins, tells what was assigned, sends heartbeats on its own clock whatever the handlers
 * do, joins again after every rebalance or broken connection, and leaves at once when stopped.
 */
import type { Connection } from './connection.js'
import { knowTopics, openConnection } from './connection.js'
import {
  createMembership,
  HEARTBEAT_INTERVAL_MS,
  protocolError,
  REBALANCE_TIMEOUT_MS,
  type Cluster,
  type GroupMembership,
  type KafkaConnectionOptions,
} from './kafkajs.js'

export interface Assignment {
  readonly wireTopic: string
  readonly partition: number
}

export interface MembershipOptions {
  readonly connection: KafkaConnectionOptions
  readonly group: string
  readonly wireTopics: readonly string[]
  readonly onAssigned: (assignment: readonly Assignment[]) => void
  /** Nothing is ours any more. Resolves when the work in hand is done; the group waits for it, within limits. */
  readonly onRevoked: () => Promise<void>
  /** It cannot be a member: not allowed, or the topics are gone. */
  readonly onRefused: (reason: 'refused' | 'topics-missing', error: unknown) => void
}

export interface Membership {
  /** Resolves after the first join, or when it was closed or refused before. */
  readonly joined: Promise<void>
  readonly lastActiveAt: () => number
  close(): Promise<void>
}

/** Work in hand is waited for until then; the rest of the rebalance timeout is for joining. */
const HAND_BACK_MS = REBALANCE_TIMEOUT_MS - 3_000
const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 1_000
/** A broker that has just started may not know its topics yet. */
const MISSING_AFTER_MS = 15_000
/** Errors that no repetition mends. Source: Kafka protocol guide, error codes. */
const REFUSALS = new Set([
  'GROUP_AUTHORIZATION_FAILED',
  'TOPIC_AUTHORIZATION_FAILED',
  'CLUSTER_AUTHORIZATION_FAILED',
  'INCONSISTENT_GROUP_PROTOCOL',
  'INVALID_GROUP_ID',
  'INVALID_SESSION_TIMEOUT',
  'SASL_AUTHENTICATION_FAILED',
  'UNSUPPORTED_SASL_MECHANISM',
])
const REBALANCES = new Set(['REBALANCE_IN_PROGRESS', 'ILLEGAL_GENERATION', 'NOT_COORDINATOR_FOR_GROUP'])

export function joinGroup(options: MembershipOptions): Membership {
  const { logger } = options.connection
  const connection: Connection = openConnection(options.connection)
  let memberId: string | null = null
  let member: GroupMembership | null = null
  let memberCluster: Cluster | null = null
  let closed = false
  let activeAt = Date.now()
  let failures = 0
  let missingSince: number | null = null
  let cutShort: (() => void) | null = null
  let tellJoined: () => void = () => undefined
  const joined = new Promise<void>((resolve) => (tellJoined = resolve))
  const ended = run()

  return {
    joined,
    lastActiveAt: () => activeAt,
    async close() {
      closed = true
      cutShort?.()
      tellJoined()
      await leave()
      await connection.close()
      await ended
    },
  }

  async function run(): Promise<void> {
    while (!closed) {
      activeAt = Date.now()
      try {
        await join()
        failures = 0
        missingSince = null
        await stay()
      } catch (error) {
        if (closed) break
        await afterFailure(error)
      }
    }
    tellJoined()
  }

  async function join(): Promise<void> {
    const cluster = await connection.cluster()
    if (member === null || memberCluster !== cluster) {
      await knowTopics(cluster, options.wireTopics)
      member = createMembership({
        ...options.connection,
        cluster,
        group: options.group,
        topics: options.wireTopics,
        memberId,
      })
      memberCluster = cluster
    }
    await member.joinAndSync()
    memberId = member.memberId
    // Closed while joining: leave() found no member id then.
    if (closed) return await leave()
    const assignment = member
      .assigned()
      .flatMap(({ topic, partitions }) => partitions.map((partition) => ({ wireTopic: topic, partition })))
    logger.debug({ group: options.group, assignment }, 'Joined the group')
    options.onAssigned(assignment)
    tellJoined()
  }

  /** Sends heartbeats until one fails. */
  async function stay(): Promise<void> {
    while (!closed) {
      await sleep(HEARTBEAT_INTERVAL_MS)
      if (closed) return
      await member!.heartbeat({ interval: 0 })
      activeAt = Date.now()
    }
  }

  async function afterFailure(error: unknown): Promise<void> {
    activeAt = Date.now()
    const code = protocolError(error)
    if (code !== null && REFUSALS.has(code)) return refused('refused', error)
    if (code === 'UNKNOWN_TOPIC_OR_PARTITION') {
      missingSince ??= Date.now()
      if (Date.now() - missingSince > MISSING_AFTER_MS) return refused('topics-missing', error)
    }
    const rebalance = code !== null && REBALANCES.has(code)
    logger.debug(
      { group: options.group, error: String(error) },
      rebalance ? 'The group is rebalancing' : 'Left the group',
    )
    if (code === 'UNKNOWN_MEMBER_ID') memberId = null
    await handBack(rebalance)
    if (rebalance && code !== 'NOT_COORDINATOR_FOR_GROUP') return
    if (code === 'UNKNOWN_MEMBER_ID' && member !== null) {
      member.memberId = null
      return
    }
    if (memberCluster !== null) connection.discard(memberCluster)
    member = null
    memberCluster = null
    failures += 1
    await sleep(Math.min(FIRST_PAUSE_MS * 2 ** Math.min(failures, 10), LONGEST_PAUSE_MS))
  }

  /** Lets the work in hand finish before others get the partitions, showing meanwhile that this member lives. */
  async function handBack(showLife: boolean): Promise<void> {
    let done = false
    const finished = options.onRevoked().then(() => {
      done = true
      cutShort?.()
    })
    const giveUpAt = Date.now() + HAND_BACK_MS
    while (!done && !closed && Date.now() < giveUpAt) {
      await Promise.race([finished, sleep(HEARTBEAT_INTERVAL_MS)])
      // It is answered that a rebalance is in progress, which is known; it counts as a sign of life all the same.
      if (showLife && !done) await member?.heartbeat({ interval: 0 }).catch(() => undefined)
    }
  }

  function refused(reason: 'refused' | 'topics-missing', error: unknown): void {
    closed = true
    options.onRefused(reason, error)
  }

  /** Told to the group, so that others need not wait for the session to end. */
  async function leave(): Promise<void> {
    const leaving = member
    if (leaving === null || leaving.memberId === null) return
    try {
      await leaving.leave()
    } catch (error) {
      logger.debug({ group: options.group, error: String(error) }, 'The group could not be told of leaving')
    }
  }

  function sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        if (cutShort === done) cutShort = null
        resolve()
      }
      const timer = setTimeout(done, ms)
      cutShort = done
    })
  }
}
