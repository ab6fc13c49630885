/** Looks at the label topic and the label view once a second while the scorer runs. */
import { startLoop } from '@cupel/kit/concurrency'
import type { Logger } from '@cupel/contracts'
import {
  judgeFollowing,
  notYetFollowing,
  observe,
  type FollowingLimits,
  type FollowingVerdict,
} from './label-following.js'

export interface LabelWatchOptions {
  /** End of the label topic. */
  readonly endOffset: () => Promise<number>
  /** Offset of the next record that the label view applies; null where there is no view of this log. */
  readonly viewNext: () => Promise<number | null>
  /** Which topic is not whole or which view contradicts its topic, as a sentence; null where neither is so. */
  readonly inputFault: () => Promise<string | null>
  readonly limits: FollowingLimits
  readonly now: () => number
  readonly logger: Logger
  readonly onLook: (verdict: FollowingVerdict) => void
  readonly intervalMs?: number
}

export interface LabelWatch {
  /** The verdict now, from the looks so far. */
  verdict(): FollowingVerdict
  /** Whether log and database both answered the last look. */
  reachable(): boolean
  /** Resolves at the first verdict that allows screening; rejects where the watch is stopped before. */
  started(): Promise<void>
  stop(): Promise<void>
}

const LOOK_EVERY_MS = 1_000
/** While starting, so that a complete view does not delay the start. */
const FIRST_LOOKS_EVERY_MS = 50

export function startLabelWatch(options: LabelWatchOptions): LabelWatch {
  const { logger } = options
  let following = notYetFollowing
  let complaint: string | null = null
  let begin: () => void = () => undefined
  let giveUp: (error: Error) => void = () => undefined
  const started = new Promise<void>((resolve, reject) => {
    begin = resolve
    giveUp = reject
  })
  // Without a waiter a stop before the start must not count as an unhandled rejection.
  started.catch(() => undefined)

  const verdict = (): FollowingVerdict => judgeFollowing(following, options.now(), options.limits)

  const look = async (): Promise<void> => {
    try {
      // The end is read first: a view that has reached it was complete at that moment.
      const at = options.now()
      const endOffset = await options.endOffset()
      const [viewNext, inputFault] = await Promise.all([options.viewNext(), options.inputFault()])
      following = observe(following, { at, endOffset, viewNext, inputFault })
      complain(null)
    } catch (error) {
      // An error is not progress: the last successful look goes on ageing.
      complain(error instanceof Error ? error.message : String(error))
    }
    const judged = verdict()
    options.onLook(judged)
    if (judged.kind !== 'starting') begin()
  }

  /** An outage is one line when it begins and one when it ends. */
  const complain = (reason: string | null): void => {
    if (reason === complaint) return
    if (reason !== null) logger.warn({ reason }, 'The label view cannot be watched')
    else logger.info({}, 'The label view can be watched again')
    complaint = reason
  }

  const loop = startLoop({
    async step() {
      await look()
      return verdict().kind === 'starting' ? FIRST_LOOKS_EVERY_MS : undefined
    },
    restMs: options.intervalMs ?? LOOK_EVERY_MS,
    onError: (error) => complain(String(error)),
  })

  return {
    verdict,
    reachable: () => complaint === null,
    started: () => started,
    async stop() {
      giveUp(new Error('The scorer was stopped before the label view was complete'))
      await loop.stop()
    },
  }
}
