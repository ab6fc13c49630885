/**
 * Follows one partition from its current end. No consumer group is involved (docs/adr/0020): the position is in memory, so that there is
 * nothing to join, nothing to commit and no rebalance that could take the partition away.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { LATE, withinMs } from '@cupel/kit/concurrency'
import type { Logger } from '@cupel/contracts'
import {
  LogStoppedError,
  LogUnavailableError,
  type LogIdentity,
  type Tail,
  type TailOptions,
} from '../port.js'
import { stoppedBy, type FetchTrouble } from './fetch-trouble.js'
import { openFetcher, type Fetcher, type FetchTarget } from './fetcher.js'
import type { KafkaConnectionOptions } from './kafkajs.js'
import type { LogPositions } from './log-position.js'
import { SILENCE_LIMIT_MS, watchSilence } from './silence.js'

export interface TailDependencies {
  readonly connection: KafkaConnectionOptions
  readonly positions: LogPositions
  readonly wireTopic: string
}

/** A tail that is not ready after this rejects: no broker answers. */
const OPEN_TIMEOUT_MS = 10_000
const IDENTITY_RETRY_MS = 500

/** Rejects with LogUnavailableError if no broker answers, with LogStoppedError if the log must not be followed. */
export async function openTail(options: TailOptions, dependencies: TailDependencies): Promise<Tail> {
  const { positions, wireTopic } = dependencies
  const log = await positions.identity()
  const from = await positions.endOffset(wireTopic, options.partition)
  const tail = new PartitionTail(options, dependencies, { log, from })
  try {
    await tail.untilReady()
  } catch (error) {
    await tail.stop()
    throw error
  }
  return { isReady: () => tail.isReady(), stop: () => tail.stop() }
}

class PartitionTail {
  private readonly dependencies: TailDependencies
  /** The partition, as sentences name it. */
  private readonly place: string
  private readonly log: LogIdentity
  private readonly readiness = createReadiness()
  private readonly target: FetchTarget
  private readonly fetcher: Fetcher
  private readonly endWatch: () => void
  private isOver = false
  private onEnd: (error: LogStoppedError) => void

  constructor(
    options: TailOptions,
    dependencies: TailDependencies,
    { log, from }: { log: LogIdentity; from: number },
  ) {
    const { topic, partition, onRecords } = options
    const { wireTopic, connection } = dependencies
    this.dependencies = dependencies
    this.place = `${wireTopic}/${partition}`
    this.log = log
    this.onEnd = options.onStopped
    this.target = {
      ...{ wireTopic, topic, partition, offset: from },
      hasRoom: () => true,
      onFetched: ({ records }) => {
        this.readiness.fetchAnswered()
        if (records.length > 0) onRecords(records)
      },
      onTrouble: (trouble) => void this.examine(trouble),
    }
    this.fetcher = openFetcher({
      connection,
      onDisconnected: this.readiness.connectionLost,
      onConnected: (clusterId) => this.confirmLog(clusterId),
    })
    this.fetcher.add(this.target)
    this.endWatch = watchSilence(
      () => this.fetcher.lastActiveAt(),
      () => this.end(silent(this.place)),
    )
  }

  isReady(): boolean {
    return this.readiness.isReady() && !this.isOver
  }

  async untilReady(): Promise<void> {
    const onStopped = this.onEnd
    const ended = new Promise<never>((_resolve, reject) => (this.onEnd = reject))
    const opened = await withinMs(OPEN_TIMEOUT_MS, Promise.race([this.readiness.reached(), ended]))
    if (opened === LATE)
      throw new LogUnavailableError(`Kafka did not answer a fetch of ${this.place} in time.`)
    this.onEnd = onStopped
  }

  async stop(): Promise<void> {
    this.isOver = true
    this.endWatch()
    this.fetcher.remove(this.target)
    await this.fetcher.close()
  }

  /** The brokers that came back must serve the same log: an offset of another log has no meaning here. */
  private confirmLog(clusterId: string): void {
    this.readiness.connectionLost()
    if (!this.log.startsWith(`${clusterId}/`)) return this.end(this.foreign(`cluster ${clusterId}`))
    void this.readiness.confirmLog(() => this.isSameLog(), this.dependencies.connection.logger)
  }

  /** Rejects if the log cannot be queried. */
  private async isSameLog(): Promise<boolean> {
    if (this.isOver) return false
    const present = await this.dependencies.positions.identity()
    if (present !== this.log) this.end(this.foreign(present))
    return present === this.log
  }

  private async examine(trouble: FetchTrouble): Promise<void> {
    if (this.isOver) return
    const { offset, wireTopic, partition } = this.target
    if (trouble.kind !== 'out-of-range') return this.end(stoppedBy(trouble, this.place, offset))
    try {
      await this.dependencies.positions.verify({ wireTopic, partition }, { next: offset, log: this.log })
    } catch (error) {
      if (error instanceof LogStoppedError) return this.end(error)
    }
    // The offset lies within the log, or Kafka could not be queried: a new leader gives this answer for a moment.
    if (!this.isOver) this.fetcher.add(this.target)
  }

  private end(error: LogStoppedError): void {
    if (this.isOver) return
    void this.stop()
    this.onEnd(error)
  }

  private foreign(present: string): LogStoppedError {
    return new LogStoppedError(
      'foreign-log',
      `The log of ${this.place} was ${this.log} and is now ${present}: restart this process to follow the new log.`,
    )
  }
}

function silent(place: string): LogStoppedError {
  return new LogStoppedError(
    'stuck',
    `The tail of ${place} has been silent for ${SILENCE_LIMIT_MS / 1000} s.`,
  )
}

/**
 * Whether the tail would deliver records appended now. True after two steps: a fetch at the tail's position was answered over the current
 * connection, and the log behind that connection is known to be the one the tail began on. The next fetch then returns the records appended
 * from then on.
 */
function createReadiness() {
  let isAnswered = false
  let isConfirmed = false
  let connections = 0
  let onReady: () => void = () => undefined
  const isReady = (): boolean => isAnswered && isConfirmed
  const notice = (): void => {
    if (isReady()) onReady()
  }
  return {
    isReady,
    reached: () =>
      new Promise<void>((resolve) => {
        onReady = resolve
        notice()
      }),
    fetchAnswered(): void {
      isAnswered = true
      notice()
    },
    connectionLost(): void {
      isAnswered = isConfirmed = false
      connections += 1
    },
    /** Retries until there is an answer, or another connection. */
    async confirmLog(isSameLog: () => Promise<boolean>, logger: Logger): Promise<void> {
      const connection = connections
      while (connection === connections) {
        try {
          const isSame = await isSameLog()
          if (connection === connections) isConfirmed = isSame
          return notice()
        } catch (error) {
          logger.debug({ error: String(error) }, 'The identity of the log could not be read; asking again')
          await sleep(IDENTITY_RETRY_MS)
        }
      }
    },
  }
}
