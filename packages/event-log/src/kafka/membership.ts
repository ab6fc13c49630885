/**
 * Stays a member of a consumer group: joins, reports the assigned partitions, sends heartbeats independently of the handlers, joins again
 * after every rebalance or broken connection, and leaves at once when closed.
 */
import { createWake } from '@cupel/kit/concurrency'
import type { Logger } from '@cupel/contracts'
import { createLagReport, type LagReport } from './lag-report.js'
import { isKnown, knowTopics, openConnection, topicFault, type Connection } from './connection.js'
import {
  createMembership,
  HEARTBEAT_INTERVAL_MS,
  REBALANCE_TIMEOUT_MS,
  REQUEST_TIMEOUT_MS,
  type Cluster,
  type GroupMembership,
  type KafkaConnectionOptions,
} from './kafkajs.js'
import { inDoubt } from './overdue.js'
import { protocolError } from './protocol-errors.js'
import { pauseMs } from '../retry-pause.js'

export interface Assignment {
  readonly wireTopic: string
  readonly partition: number
}

export interface MembershipOptions {
  readonly connection: KafkaConnectionOptions
  readonly group: string
  readonly wireTopics: readonly string[]
  readonly onAssigned: (assignment: readonly Assignment[]) => void
  /** The member has lost all partitions. Resolves when the running work is done; the group waits for it, within limits. */
  readonly onRevoked: () => Promise<void>
  /** The next offset of each assigned partition, for Kafka's own tools. */
  readonly offsets: () => readonly (Assignment & { readonly offset: number })[]
  /** The process cannot be a member: Kafka does not allow it, or the topics are gone. */
  readonly onRefused: (reason: 'refused' | 'topics-missing', error: unknown) => void
}

export interface Membership {
  /** Resolves after the first join, or when the member was closed or refused before. */
  readonly joined: Promise<void>
  lastActiveAt(): number
  close(): Promise<void>
}

/** Limit of the wait for running work; the rest of the rebalance timeout is for joining. */
const HAND_BACK_MS = REBALANCE_TIMEOUT_MS - 3_000
/** A broker that has just started may not know its topics yet. */
const MISSING_AFTER_MS = 15_000
/** Missing or denied topics are looked up again after this. */
const UNKNOWN_LOOK_MS = 5_000
/** Errors that no retry removes. Source: Kafka protocol guide, error codes. */
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
/** Not after a first success: a password is being replaced, and each new connection reads it again. */
const REFUSALS_AT_FIRST = new Set(['SASL_AUTHENTICATION_FAILED'])
const REBALANCES = new Set(['REBALANCE_IN_PROGRESS', 'ILLEGAL_GENERATION', 'NOT_COORDINATOR_FOR_GROUP'])

export function joinGroup(options: MembershipOptions): Membership {
  return new GroupMember(options)
}

class GroupMember implements Membership {
  readonly joined: Promise<void>
  private readonly options: MembershipOptions
  private readonly connection: Connection
  private readonly logger: Logger
  private readonly pause = createWake()
  private readonly lagReport: LagReport
  private memberId: string | null = null
  private member: GroupMembership | null = null
  private memberCluster: Cluster | null = null
  /** Topics of the group that were missing or denied at the last look-up. */
  private unknown: readonly string[] = []
  private isClosed = false
  private hasJoined = false
  /** Since the last join; reported once. */
  private isRefused = false
  private activeAt = Date.now()
  private failures = 0
  private missingSince: number | null = null
  private noteJoined: () => void = () => undefined
  private readonly ended: Promise<void>

  constructor(options: MembershipOptions) {
    this.options = options
    this.connection = openConnection(options.connection, { isBusy: true })
    this.logger = options.connection.logger
    this.lagReport = createLagReport(options.group, this.logger)
    this.joined = new Promise<void>((resolve) => (this.noteJoined = resolve))
    this.ended = this.run()
  }

  lastActiveAt(): number {
    return this.activeAt
  }

  async close(): Promise<void> {
    this.isClosed = true
    this.pause.wake()
    this.noteJoined()
    await this.leave()
    await this.connection.close()
    await this.ended
  }

  private async run(): Promise<void> {
    while (!this.isClosed) {
      this.activeAt = Date.now()
      try {
        await this.join()
        this.failures = 0
        this.missingSince = null
        await this.stay()
      } catch (error) {
        if (this.isClosed) break
        await this.afterFailure(error)
      }
    }
    this.noteJoined()
  }

  private async join(): Promise<void> {
    const cluster = await this.connection.cluster()
    if (this.member === null || this.memberCluster !== cluster) {
      await this.requireTopics(cluster)
      this.member = createMembership({
        ...this.options.connection,
        cluster,
        group: this.options.group,
        topics: this.options.wireTopics,
        memberId: this.memberId,
      })
      this.memberCluster = cluster
    }
    await this.inDoubt(cluster, this.member.joinAndSync())
    this.hasJoined = true
    this.isRefused = false
    this.memberId = this.member.memberId
    // Closed while joining: leave() found no member id at that time.
    if (this.isClosed) return await this.leave()
    const assignment = this.member
      .assigned()
      .flatMap(({ topic, partitions }) => partitions.map((partition) => ({ wireTopic: topic, partition })))
    this.logger.debug({ group: this.options.group, assignment }, 'Joined the group')
    this.options.onAssigned(assignment)
    this.noteJoined()
  }

  /** A missing or denied topic does not prevent reads of others. Rejects if all of them are missing or denied. */
  private async requireTopics(cluster: Cluster): Promise<void> {
    const { wireTopics, group } = this.options
    await knowTopics(cluster, wireTopics)
    const unknown = wireTopics.filter((topic) => !isKnown(cluster, topic))
    const fault = unknown.map((topic) => topicFault(cluster, topic)).find((each) => each !== null)
    if (unknown.length === wireTopics.length) throw fault ?? new Error('No topic is known')
    if (unknown.length > this.unknown.length)
      this.logger.error({ group, topics: unknown, fault: String(fault) }, 'Topics of a group cannot be read')
    this.unknown = unknown
  }

  /** Sends heartbeats until one fails, or until a topic appears that the group has not divided yet. */
  private async stay(): Promise<void> {
    const cluster = this.memberCluster!
    for (let lookAt = Date.now() + UNKNOWN_LOOK_MS; !this.isClosed;) {
      await this.pause.wait(HEARTBEAT_INTERVAL_MS)
      if (this.isClosed) return
      await this.inDoubt(cluster, this.member!.heartbeat({ interval: 0 }))
      this.activeAt = Date.now()
      this.lagReport.send(this.member!, this.options.offsets())
      if (this.unknown.length === 0 || Date.now() < lookAt) continue
      lookAt = Date.now() + UNKNOWN_LOOK_MS
      await this.connection.refresh(cluster, this.options.wireTopics)
      if (!this.unknown.some((topic) => isKnown(cluster, topic))) continue
      this.unknown = this.unknown.filter((topic) => !isKnown(cluster, topic))
      return await this.handBack(true)
    }
  }

  /** A coordinator that hangs is left once another one has its groups. */
  private inDoubt(cluster: Cluster, answer: Promise<void>): Promise<void> {
    return inDoubt(answer, REQUEST_TIMEOUT_MS, () => this.connection.refresh(cluster))
  }

  private async afterFailure(error: unknown): Promise<void> {
    this.activeAt = Date.now()
    const code = protocolError(error)
    if (code !== null && REFUSALS.has(code)) {
      if (!this.hasJoined || !REFUSALS_AT_FIRST.has(code)) return this.refused('refused', error)
      if (!this.isRefused)
        this.logger.error({ group: this.options.group, err: error }, 'Kafka refuses the credentials for now')
      this.isRefused = true
    }
    if (code === 'UNKNOWN_TOPIC_OR_PARTITION') {
      this.missingSince ??= Date.now()
      if (Date.now() - this.missingSince > MISSING_AFTER_MS) return this.refused('topics-missing', error)
    }
    const rebalance = code !== null && REBALANCES.has(code)
    this.logger.debug(
      { group: this.options.group, error: String(error) },
      rebalance ? 'The group is rebalancing' : 'Left the group',
    )
    if (code === 'UNKNOWN_MEMBER_ID') this.memberId = null
    await this.handBack(rebalance)
    if (rebalance && code !== 'NOT_COORDINATOR_FOR_GROUP') return
    if (code === 'UNKNOWN_MEMBER_ID' && this.member !== null) {
      this.member.memberId = null
      return
    }
    if (this.memberCluster !== null) this.connection.discard(this.memberCluster)
    this.member = null
    this.memberCluster = null
    this.failures += 1
    await this.pause.wait(pauseMs(this.failures))
  }

  /** Lets the running work finish before other members get the partitions; meanwhile heartbeats keep the membership. */
  private async handBack(showLife: boolean): Promise<void> {
    let done = false
    const finished = this.options.onRevoked().then(() => {
      done = true
      this.pause.wake()
    })
    const giveUpAt = Date.now() + HAND_BACK_MS
    while (!done && !this.isClosed && Date.now() < giveUpAt) {
      await Promise.race([finished, this.pause.wait(HEARTBEAT_INTERVAL_MS)])
      // The answer says that a rebalance is in progress, which is known; the heartbeat counts nevertheless.
      if (showLife && !done) await this.member?.heartbeat({ interval: 0 }).catch(() => undefined)
    }
  }

  private refused(reason: 'refused' | 'topics-missing', error: unknown): void {
    this.isClosed = true
    this.options.onRefused(reason, error)
  }

  /** Leaves the group, so that other members need not wait for the session to end. */
  private async leave(): Promise<void> {
    const leaving = this.member
    if (leaving === null || leaving.memberId === null) return
    try {
      await leaving.leave()
    } catch (error) {
      this.logger.debug(
        { group: this.options.group, error: String(error) },
        'Leaving the group failed; its partitions are free when the session ends',
      )
    }
  }
}
