/** One member of a group in this process: a worker per partition it holds. */
import type { Logger } from '@cupel/contracts'
import type { Database } from '@cupel/postgres'
import type { LogIdentity, LogStoppedError, SubscribeOptions, Subscription } from '../port.js'
import { joinGroup, type GroupMember } from './group-member.js'
import type { FeedHub } from './partition-feed.js'
import { startPartitionWorker, type PartitionWorker } from './partition-worker.js'
import type { PartitionAddress } from './topic-directory.js'

export interface SubscriptionDependencies {
  readonly database: Database
  readonly hub: FeedHub
  readonly identity: () => Promise<LogIdentity>
  readonly logger: Logger
  /** Name of the group in the database, with the prefix of the installation. */
  readonly group: string
  readonly leaseMs: number
}

export async function startSubscription(
  partitions: readonly PartitionAddress[],
  options: SubscribeOptions,
  { database, hub, identity, logger, group, leaseMs }: SubscriptionDependencies,
): Promise<Subscription> {
  const addresses = new Map(partitions.map((address) => [address.id, address]))
  const workers = new Map<number, PartitionWorker>()
  /** Workers that finish their last batch; the partition is not taken up again before they have. */
  const finishing = new Map<number, Promise<void>>()
  const inTurn = turns(options.concurrency)
  let member: GroupMember | null = null
  let stopped: Promise<void> | null = null
  let failed = false

  function onPartitions(held: ReadonlySet<number>, leaving: ReadonlySet<number>): void {
    if (stopped !== null) return
    for (const id of [...workers.keys()]) {
      if (leaving.has(id)) void finish(id).then(() => member?.release(id))
      else if (!held.has(id)) void finish(id)
    }
    for (const id of held) {
      if (!workers.has(id) && !finishing.has(id)) workers.set(id, startWorker(addresses.get(id)!))
    }
  }

  function startWorker(address: PartitionAddress): PartitionWorker {
    return startPartitionWorker(address, options, {
      database,
      hub,
      identity,
      logger,
      inTurn,
      onStopped: fail,
    })
  }

  async function finish(id: number): Promise<void> {
    const worker = workers.get(id)
    if (worker === undefined) return finishing.get(id)
    workers.delete(id)
    const finished = worker.stop().finally(() => finishing.delete(id))
    finishing.set(id, finished)
    await finished
  }

  /** One partition that must not be read on ends the whole subscription: half a reader would look healthy. */
  function fail(error: LogStoppedError): void {
    if (failed) return
    failed = true
    void stop().then(() => options.onStopped(error))
  }

  function stop(): Promise<void> {
    stopped ??= (async () => {
      await Promise.all([...[...workers.keys()].map(finish), ...finishing.values()])
      await member?.leave()
    })()
    return stopped
  }

  member = await joinGroup({
    database,
    group,
    partitionIds: [...addresses.keys()],
    logger,
    leaseMs,
    onPartitions,
  })

  return {
    assigned: () => [...workers.values()].map(({ address: { topic, partition } }) => ({ topic, partition })),
    lag: () => [...workers.values()].reduce((sum, worker) => sum + worker.lag(), 0),
    restart({ topic, partition }) {
      for (const worker of workers.values())
        if (worker.address.topic === topic && worker.address.partition === partition) worker.restart()
    },
    stop,
  }
}

/** At most `limit` at the same time, first come, first served. */
function turns(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}
