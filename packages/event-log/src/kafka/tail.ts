/**
 * Follows one partition from its present end. No consumer group is involved (docs/adr/0021): the position is in memory, so
 * there is nothing to join, nothing to commit and no rebalance that could take the partition away.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { LATE, withinMs } from '@cupel/concurrency'
import type { Logger } from '@cupel/contracts'
import {
  LogStoppedError,
  LogUnavailableError,
  type LogIdentity,
  type Tail,
  type TailOptions,
} from '../port.js'
import { openFetcher, stoppedBy, type FetchTarget, type FetchTrouble } from './fetcher.js'
import type { KafkaConnectionOptions } from './kafkajs.js'
import type { LogPositions } from './log-position.js'
import { SILENCE_LIMIT_MS, watchSilence } from './silence.js'

export interface TailDependencies {
  readonly connection: KafkaConnectionOptions
  readonly positions: LogPositions
  readonly wireTopic: string
}

/** A tail that is not ready by then rejects: no broker answers. */
const OPEN_TIMEOUT_MS = 10_000
const IDENTITY_RETRY_MS = 500

/** Rejects with LogUnavailableError where no broker answers, with LogStoppedError where the log must not be followed. */
export async function openTail(options: TailOptions, dependencies: TailDependencies): Promise<Tail> {
  const { connection, positions, wireTopic } = dependencies
  const { topic, partition } = options
  const place = `${wireTopic}/${partition}`
  const log = await positions.identity()
  const readiness = createReadiness()
  let isOver = false
  let onEnd = (error: LogStoppedError): void => options.onStopped(error)

  const target: FetchTarget = {
    ...{ wireTopic, topic, partition },
    offset: await positions.endOffset(wireTopic, partition),
    hasRoom: () => true,
    onFetched({ records }) {
      readiness.fetchAnswered()
      if (records.length > 0) options.onRecords(records)
    },
    onTrouble: (trouble) => void examine(trouble),
  }
  const fetcher = openFetcher({
    connection,
    onDisconnected: readiness.connectionLost,
    // The brokers that came back must be those of the same log: an offset of another one means nothing here.
    onConnected(clusterId) {
      readiness.connectionLost()
      if (!log.startsWith(`${clusterId}/`)) return end(foreignLog(place, log, `cluster ${clusterId}`))
      void readiness.confirmLog(() => isSameLog(), connection.logger)
    },
  })
  fetcher.add(target)
  const endWatch = watchSilence(fetcher.lastActiveAt, () =>
    end(
      new LogStoppedError('stuck', `The tail of ${place} has been silent for ${SILENCE_LIMIT_MS / 1000} s.`),
    ),
  )
  const stop = async (): Promise<void> => {
    isOver = true
    endWatch()
    fetcher.remove(target)
    await fetcher.close()
  }
  try {
    await untilReady()
  } catch (error) {
    await stop()
    throw error
  }
  return { isReady: () => readiness.isReady() && !isOver, stop }

  async function untilReady(): Promise<void> {
    const ended = new Promise<never>((_resolve, reject) => (onEnd = reject))
    const opened = await withinMs(OPEN_TIMEOUT_MS, Promise.race([readiness.reached(), ended]))
    if (opened === LATE) throw new LogUnavailableError(`Kafka did not answer a fetch of ${place} in time.`)
    onEnd = (error) => options.onStopped(error)
  }

  /** Null where the tail is over: then nobody needs an answer. Rejects where the log cannot be asked. */
  async function isSameLog(): Promise<boolean | null> {
    if (isOver) return null
    const present = await positions.identity()
    if (present === log) return true
    end(foreignLog(place, log, present))
    return false
  }

  async function examine(trouble: FetchTrouble): Promise<void> {
    if (isOver) return
    if (trouble.kind !== 'out-of-range') return end(stoppedBy(trouble, place, target.offset))
    try {
      await positions.verify({ wireTopic, partition }, { next: target.offset, log })
    } catch (error) {
      if (error instanceof LogStoppedError) return end(error)
    }
    // The offset lies within the log, or nobody could tell: a leader that has just taken over answers so for a moment.
    if (!isOver) fetcher.add(target)
  }

  function end(error: LogStoppedError): void {
    if (isOver) return
    void stop()
    onEnd(error)
  }
}

/**
 * Whether records appended now would be delivered. True once a fetch at the tail's position was answered over the present
 * connection and the log behind that connection is known to be the one the tail began on: the next fetch brings what is
 * appended from then on.
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
    /** Asks until there is an answer, or another connection. */
    async confirmLog(isSameLog: () => Promise<boolean | null>, logger: Logger): Promise<void> {
      const connection = connections
      while (connection === connections) {
        try {
          const isSame = await isSameLog()
          if (connection === connections) isConfirmed = isSame === true
          return notice()
        } catch (error) {
          logger.debug({ error: String(error) }, 'The identity of the log could not be read; asking again')
          await sleep(IDENTITY_RETRY_MS)
        }
      }
    },
  }
}

function foreignLog(place: string, log: LogIdentity, present: string): LogStoppedError {
  return new LogStoppedError(
    'foreign-log',
    `The log of ${place} was ${log} and is now ${present}: restart this process to follow the new log.`,
  )
}
