/**
 * A log in memory with the port's delivery rules but without its group coordination: every subscription gets every
 * partition. So two runners of one group behave like a member that lost its partitions in a rebalance and does not know it.
 */
import type { TopicSpec } from '@cupel/contracts'
import {
  type EventLog,
  type LogRecord,
  type NewRecord,
  type Position,
  type SubscribeOptions,
  type Subscription,
} from '@cupel/event-log'

export interface MemoryLog extends EventLog {
  /** While set, appends write and then reject: the acknowledgement is lost. */
  failAfterAppend: Error | null
  readonly appended: readonly LogRecord[]
  /** Number of times its subscriptions were nudged. */
  nudges: number
  /** Deletes the records of a partition before an offset, as retention or an accident would. */
  deleteBefore(topic: string, partition: number, offset: number): void
}

const RETRY_MS = 10

export function memoryLog({ identity = 'log-1', partitions = 2 } = {}): MemoryLog {
  const topics = new Map<string, LogRecord[][]>()
  const starts = new Map<string, number>()
  const appended: LogRecord[] = []
  const wakers = new Set<() => void>()
  const subscriptions = new Set<Subscription>()

  const partitionsOf = (topic: string): LogRecord[][] => {
    let found = topics.get(topic)
    if (found === undefined) topics.set(topic, (found = Array.from({ length: partitions }, () => [])))
    return found
  }
  const recordsOf = (topic: string, partition: number): LogRecord[] => {
    const found = partitionsOf(topic)[partition]
    if (found === undefined) throw new Error(`${topic} has no partition ${partition}`)
    return found
  }
  const partitionFor = (key: string): number =>
    [...key].reduce((sum, char) => sum + char.charCodeAt(0), 0) % partitions

  const log: MemoryLog = {
    kind: 'embedded',
    failAfterAppend: null,
    nudges: 0,
    appended,
    async ensureTopics(specs: readonly TopicSpec[]) {
      for (const { name } of specs) partitionsOf(name)
      return []
    },
    topicFaults: async () => [],
    identity: async () => identity,
    partitionCount: async () => partitions,
    partitionFor: async (_topic, key) => partitionFor(key),
    async append(_at, records: readonly NewRecord[]): Promise<readonly Position[]> {
      const positions = records.map((record) => {
        const partition = record.partition ?? partitionFor(record.key)
        const target = recordsOf(record.topic, partition)
        const { topic, key, value, headers } = record
        const stored = { topic, partition, offset: target.length, key, value, headers }
        target.push(stored)
        appended.push(stored)
        return { topic, partition, offset: stored.offset }
      })
      for (const wake of wakers) wake()
      if (log.failAfterAppend !== null) throw log.failAfterAppend
      return positions
    },
    endOffset: async (topic, partition) => recordsOf(topic, partition).length,
    startOffset: async (topic, partition) => starts.get(`${topic}/${partition}`) ?? 0,
    deleteBefore: (topic, partition, offset) => void starts.set(`${topic}/${partition}`, offset),
    async *read({ topic, partition, from, to }) {
      for (let at = from; at < to; at += 100) {
        yield recordsOf(topic, partition).slice(at, Math.min(at + 100, to))
      }
    },
    tail: () => Promise.reject(new Error('not part of this log')),
    subscribe: async (options) => {
      const subscription = follow(options)
      subscriptions.add(subscription)
      return subscription
    },
    close: async () =>
      void (await Promise.all([...subscriptions].map((subscription) => subscription.stop()))),
  }
  return log

  function follow(options: SubscribeOptions): Subscription {
    let stopped = false
    const next = new Map<string, number>()
    const places = options.topics.flatMap((topic) =>
      partitionsOf(topic).map((_, partition) => ({ topic, partition })),
    )
    const loops = places.map((place) => followPartition(place))
    return {
      assigned: () => (stopped ? [] : places),
      lag: () =>
        places.reduce(
          (sum, place) =>
            sum + recordsOf(place.topic, place.partition).length - (next.get(JSON.stringify(place)) ?? 0),
          0,
        ),
      restart: () => undefined,
      nudge: () => void (log.nudges += 1),
      async stop() {
        stopped = true
        for (const wake of wakers) wake()
        await Promise.all(loops)
      },
    }

    async function followPartition(place: { topic: string; partition: number }): Promise<void> {
      let known: number | null = null
      let isTroubled = false
      while (!stopped) {
        try {
          const at: number = known ?? (await options.checkpoint(place))?.next ?? 0
          known = at
          const records = recordsOf(place.topic, place.partition)
          if (at >= records.length) {
            await appendedOr(RETRY_MS)
            continue
          }
          const batch = records.slice(at, at + options.maxBatchRecords)
          const nextOffset = at + batch.length
          const outcome = await options.handle({
            ...place,
            records: batch,
            firstOffset: at,
            nextOffset,
            endOffset: records.length,
          })
          known = outcome?.resumeAt ?? nextOffset
          if (isTroubled) options.onRecovered?.(place)
          isTroubled = false
          next.set(JSON.stringify(place), known)
          if (outcome !== undefined) await appendedOr(RETRY_MS)
        } catch (error) {
          isTroubled = true
          options.onRetry(error, { ...place, offset: known ?? 0 })
          known = null
          await appendedOr(RETRY_MS)
        }
      }
    }
  }

  async function appendedOr(timeoutMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        wakers.delete(done)
        resolve()
      }
      const timer = setTimeout(done, timeoutMs)
      wakers.add(done)
    })
  }
}
