/** Reads a range of one partition over a connection that nobody else uses meanwhile, so that a rebuild does not delay other requests. */
import { LogStoppedError, type LogRecord } from '../port.js'
import { stoppedBy, type FetchTrouble } from './fetch-trouble.js'
import type { FetchTarget } from './fetcher.js'
import type { LogPositions } from './log-position.js'
import type { RangeFetchers } from './range-fetchers.js'

export interface Range {
  readonly topic: string
  readonly wireTopic: string
  readonly partition: number
  readonly from: number
  readonly to: number
}

/** Answers that may wait for the reader. */
const ANSWERS_AHEAD = 2

/**
 * Batches of the records `from` ≤ offset < min(`to`, the end at the time of the call). Throws LogStoppedError if a part of them is gone.
 */
export async function* readRange(
  range: Range,
  dependencies: { fetchers: RangeFetchers; positions: LogPositions },
): AsyncGenerator<readonly LogRecord[]> {
  const { topic, wireTopic, partition } = range
  const end = await dependencies.positions.endOffset(wireTopic, partition)
  const to = Math.min(range.to, end)
  if (range.from >= to) return
  const start = await dependencies.positions.startOffset(wireTopic, partition)
  const place = `${wireTopic}/${partition}`
  if (range.from < start)
    throw new LogStoppedError(
      'truncated-log',
      `${place} was to be read from ${range.from}, and its oldest record is ${start}: the records between were deleted.`,
    )

  const ready: { records: readonly LogRecord[]; next: number }[] = []
  let trouble: FetchTrouble | null = null
  let notify: (() => void) | null = null
  const target: FetchTarget = {
    wireTopic,
    topic,
    partition,
    offset: range.from,
    hasRoom: () => ready.length < ANSWERS_AHEAD && target.offset < to,
    onFetched({ records, next }) {
      ready.push({ records, next })
      notify?.()
    },
    onTrouble(what) {
      trouble = what
      notify?.()
    },
  }
  const fetcher = dependencies.fetchers.take()
  fetcher.add(target)
  try {
    for (let at = range.from; at < to;) {
      const answer = ready.shift()
      if (answer === undefined) {
        if (trouble !== null) throw stopped(place, at, trouble)
        await new Promise<void>((resolve) => (notify = resolve))
        continue
      }
      fetcher.wake()
      at = answer.next
      const records = answer.next <= to ? answer.records : answer.records.filter((each) => each.offset < to)
      if (records.length > 0) yield records
    }
  } finally {
    fetcher.remove(target)
    if (trouble === null) await dependencies.fetchers.giveBack(fetcher)
    else await fetcher.close()
  }
}

function stopped(place: string, at: number, trouble: FetchTrouble): LogStoppedError {
  if (trouble.kind !== 'out-of-range') return stoppedBy(trouble, place, at)
  return new LogStoppedError('truncated-log', `${place} no longer holds the record ${at}: it was deleted.`)
}
