/** One member of a group in this process: a worker per held partition. */
import { createSlots, type Slots } from '@cupel/kit/concurrency'
import type { Logger } from '@cupel/contracts'
import type { Database } from '@cupel/postgres'
import type { LogIdentity, LogStoppedError, SubscribeOptions, Subscription } from '../port.js'
import { joinGroup, type GroupMember, type SendHeartbeat } from './group-member.js'
import type { FeedHub } from './partition-feed.js'
import { startPartitionWorker, type PartitionWorker } from './partition-worker.js'
import type { PartitionBounds } from './partition-bounds.js'
import type { PartitionAddress } from './topic-directory.js'

export interface SubscriptionDependencies {
  readonly database: Database
  readonly heartbeat: SendHeartbeat
  readonly hub: FeedHub
  readonly boundsOf: (partitionId: number) => Promise<PartitionBounds>
  readonly identity: () => Promise<LogIdentity>
  readonly logger: Logger
  /** Name of the group in the database, with the prefix of the installation. */
  readonly group: string
  readonly leaseMs: number
}

export async function startSubscription(
  partitions: readonly PartitionAddress[],
  options: SubscribeOptions,
  dependencies: SubscriptionDependencies,
): Promise<Subscription> {
  const reader = new GroupReader(partitions, options, dependencies)
  await reader.join()
  return {
    assigned: () => reader.assigned(),
    lag: () => reader.lag(),
    restart: (position) => reader.restart(position),
    nudge: () => reader.nudge(),
    stop: () => reader.stop(),
  }
}

class GroupReader {
  private readonly addresses: ReadonlyMap<number, PartitionAddress>
  private readonly options: SubscribeOptions
  private readonly dependencies: SubscriptionDependencies
  private readonly workers = new Map<number, PartitionWorker>()
  /** Workers that finish their last batch; their partitions are not taken again before they end. */
  private readonly finishing = new Map<number, Promise<void>>()
  private readonly inTurn: Slots
  private member: GroupMember | null = null
  private stopped: Promise<void> | null = null
  private hasFailed = false

  constructor(
    partitions: readonly PartitionAddress[],
    options: SubscribeOptions,
    dependencies: SubscriptionDependencies,
  ) {
    this.addresses = new Map(partitions.map((address) => [address.id, address]))
    this.options = options
    this.dependencies = dependencies
    this.inTurn = createSlots(options.concurrency)
  }

  async join(): Promise<void> {
    const { database, heartbeat, group, logger, leaseMs } = this.dependencies
    this.member = await joinGroup({
      ...{ database, heartbeat, group, logger, leaseMs },
      partitionIds: [...this.addresses.keys()],
      onPartitions: (held, leaving) => this.onPartitions(held, leaving),
    })
  }

  assigned(): readonly { topic: string; partition: number }[] {
    return [...this.workers.values()].map(({ address: { topic, partition } }) => ({ topic, partition }))
  }

  lag(): number {
    return [...this.workers.values()].reduce((sum, worker) => sum + worker.lag(), 0)
  }

  restart({ topic, partition }: { topic: string; partition: number }): void {
    for (const worker of this.workers.values())
      if (worker.address.topic === topic && worker.address.partition === partition) worker.restart()
  }

  nudge(): void {
    for (const worker of this.workers.values()) worker.nudge()
  }

  stop(): Promise<void> {
    return (this.stopped ??= this.stopAll())
  }

  private async stopAll(): Promise<void> {
    const finished = [...this.workers.keys()].map((id) => this.finish(id))
    await Promise.all([...finished, ...this.finishing.values()])
    await this.member?.leave()
  }

  private onPartitions(held: ReadonlySet<number>, leaving: ReadonlySet<number>): void {
    if (this.stopped !== null) return
    for (const id of [...this.workers.keys()]) {
      if (leaving.has(id)) void this.finish(id).then(() => this.member?.release(id))
      else if (!held.has(id)) void this.finish(id)
    }
    for (const id of held)
      if (!this.workers.has(id) && !this.finishing.has(id)) this.workers.set(id, this.startWorker(id))
  }

  private startWorker(id: number): PartitionWorker {
    const { database, hub, boundsOf, identity, logger } = this.dependencies
    return startPartitionWorker(this.addresses.get(id)!, this.options, {
      ...{ database, hub, boundsOf, identity, logger },
      inTurn: this.inTurn,
      onStopped: (error) => this.fail(error),
    })
  }

  private async finish(id: number): Promise<void> {
    const worker = this.workers.get(id)
    if (worker === undefined) return this.finishing.get(id)
    this.workers.delete(id)
    const finished = worker.stop().finally(() => this.finishing.delete(id))
    this.finishing.set(id, finished)
    await finished
  }

  /** If one partition must not be read on, the whole subscription ends: otherwise a half-stopped reader would look healthy. */
  private fail(error: LogStoppedError): void {
    if (this.hasFailed) return
    this.hasFailed = true
    void this.stop().then(() => this.options.onStopped(error))
  }
}
