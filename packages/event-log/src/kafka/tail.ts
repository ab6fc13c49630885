/**
 * Follows one partition from its present end. No consumer group is involved (docs/adr/0021): the position is in memory, so
 * there is nothing to join, nothing to commit and no rebalance that could take the partition away.
 */
import { randomUUID } from 'node:crypto'
import {
  LogStoppedError,
  PROBE_TYPE,
  TYPE_HEADER,
  typeOf,
  type LogRecord,
  type NewRecord,
  type Tail,
  type TailOptions,
} from '../port.js'
import { openFetcher, type FetchTarget, type FetchTrouble } from './fetcher.js'
import type { KafkaConnectionOptions } from './kafkajs.js'
import type { LogPositions } from './log-position.js'
import { SILENCE_LIMIT_MS, watchSilence } from './silence.js'

export interface TailDependencies {
  readonly connection: KafkaConnectionOptions
  readonly positions: LogPositions
  readonly wireTopic: string
  readonly append: (record: NewRecord) => Promise<unknown>
}

/** A probe that has not come back is sent again. */
const PROBE_PATIENCE_MS = 5_000

export async function openTail(options: TailOptions, dependencies: TailDependencies): Promise<Tail> {
  const { positions, wireTopic } = dependencies
  const place = `${wireTopic}/${options.partition}`
  const probePrefix = `probe-${randomUUID()}`
  let probed = false
  let connected = false
  let stopped = false
  let onProbe: (() => void) | null = null
  let onEnd: ((error: LogStoppedError) => void) | null = null
  const log = await positions.identity()

  const target: FetchTarget = {
    wireTopic,
    topic: options.topic,
    partition: options.partition,
    offset: await positions.endOffset(wireTopic, options.partition),
    hasRoom: () => true,
    onFetched({ records }) {
      connected = true
      const delivered = withoutProbes(records, noticeProbe)
      if (delivered.length > 0) options.onRecords(delivered)
    },
    onTrouble: (trouble) => void examine(trouble),
  }
  const fetcher = openFetcher({
    connection: dependencies.connection,
    onDisconnected: () => (connected = false),
    // The brokers that came back must be those of the same log: an offset of another one means nothing here.
    onConnected: (clusterId) => {
      if (log.startsWith(`${clusterId}/`)) void confirmIdentity()
      else end(foreign(`cluster ${clusterId}`))
    },
  })
  fetcher.add(target)
  const endWatch = watchSilence(fetcher.lastActiveAt, () =>
    end(new LogStoppedError('stuck', `Following ${place} has been silent for ${SILENCE_LIMIT_MS / 1000} s.`)),
  )
  const tail: Tail = {
    // A fetch that was answered at our offset proves as much as another probe: whatever is appended comes with the next.
    isReady: () => probed && connected && !stopped,
    async stop() {
      stopped = true
      endWatch()
      fetcher.remove(target)
      await fetcher.close()
    },
  }
  try {
    await probeUntilBack()
  } catch (error) {
    await tail.stop()
    throw error
  }
  return tail

  async function probeUntilBack(): Promise<void> {
    const back = new Promise<void>((resolve, reject) => {
      onProbe = resolve
      onEnd = reject
    })
    // It may reject while a probe is being appended, when nobody awaits it yet.
    back.catch(() => undefined)
    for (let attempt = 1; !probed; attempt += 1) {
      await dependencies.append({
        topic: options.topic,
        partition: options.partition,
        key: `${probePrefix}-${attempt}`,
        value: null,
        headers: { [TYPE_HEADER]: PROBE_TYPE },
      })
      await Promise.race([back, abortable(PROBE_PATIENCE_MS, back)])
    }
    onEnd = null
  }

  function noticeProbe(record: LogRecord): void {
    if (probed || !record.key.startsWith(probePrefix)) return
    probed = true
    onProbe?.()
  }

  async function confirmIdentity(): Promise<void> {
    try {
      const present = await positions.identity()
      if (present !== log) end(foreign(present))
    } catch {
      // Not reachable just now: asked again at the next connection, and until then nothing is delivered.
      connected = false
    }
  }

  function foreign(present: string): LogStoppedError {
    return new LogStoppedError(
      'foreign-log',
      `The log behind ${place} was ${log}, and now it is ${present}: start this process again to follow the new one.`,
    )
  }

  async function examine(trouble: FetchTrouble): Promise<void> {
    if (stopped) return
    if (trouble.kind === 'gap')
      return end(
        new LogStoppedError(
          'gap',
          `${place} goes on at ${trouble.found} after ${target.offset}: records are missing.`,
        ),
      )
    if (trouble.kind === 'missing')
      return end(new LogStoppedError('truncated-log', `The topic of ${place} no longer exists.`))
    if (trouble.kind === 'unreadable')
      return end(new LogStoppedError('crashed', `${trouble.error.message}.`, { cause: trouble.error }))
    try {
      await positions.verify({ wireTopic, partition: options.partition }, { next: target.offset, log })
      // It lies within the log after all: a leader that had just taken over.
      fetcher.add(target)
    } catch (error) {
      if (error instanceof LogStoppedError) return end(error)
      fetcher.add(target)
    }
  }

  function end(error: LogStoppedError): void {
    if (stopped) return
    stopped = true
    endWatch()
    fetcher.remove(target)
    void fetcher.close()
    if (onEnd === null) options.onStopped(error)
    else onEnd(error)
  }
}

/** Resolves after `ms`, or as soon as `other` settles, leaving no timer behind. */
async function abortable(ms: number, other: Promise<unknown>): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms)
    const settle = (): void => {
      clearTimeout(timer)
      resolve()
    }
    other.then(settle, settle)
  })
}

/** The records that readers are to see; the probes among them are shown to `notice`. */
export function withoutProbes(
  records: readonly LogRecord[],
  notice?: (probe: LogRecord) => void,
): readonly LogRecord[] {
  // Probes are rare: the array that came is passed on where it holds none.
  if (!records.some(isProbe)) return records
  return records.filter((record) => {
    if (!isProbe(record)) return true
    notice?.(record)
    return false
  })
}

const isProbe = (record: LogRecord): boolean => record.value === null && typeOf(record) === PROBE_TYPE
