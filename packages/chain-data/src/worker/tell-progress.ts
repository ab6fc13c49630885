/** Tells other processes how far the readings are that were begun for screened addresses. */
import { startLoop } from '@cupel/kit/concurrency'
import { forgetOldProgress, tellHistoryProgress, TOLD_EVERY_MS, type HistoryProgress } from '@cupel/ledger'
import type { Logger } from '@cupel/contracts'
import type { Database } from '@cupel/postgres'
import type { OwnedPlace, Progress } from './history-reading.js'

export interface ProgressTelling {
  /** A reading was begun for a screened address. */
  begun(root: OwnedPlace): void
  /** A reading for the address ended; with a failure if it did not succeed. */
  ended(root: OwnedPlace, failure: { readonly reason: string; readonly provider: string } | null): void
  stop(): Promise<void>
}

interface Followed {
  readonly root: OwnedPlace
  failure: { readonly reason: string; readonly provider: string } | null
  told: string
  toldAtMs: number
}

/** Between two tellings, one statement for all addresses of which something is new. */
const REST_MS = 1_000
const FORGET_EVERY_MS = 3_600_000

/** `readingsOf`: how far those are that go on for the address, its own first. */
export function startProgressTelling({
  database,
  logger,
  readingsOf,
}: {
  readonly database: Database
  readonly logger: Logger
  readonly readingsOf: (root: OwnedPlace) => readonly Progress[]
}): ProgressTelling {
  const followed = new Map<string, Followed>()
  let forgetAtMs = 0

  async function tell(): Promise<void> {
    const nowMs = performance.now()
    const news = [...followed].flatMap(([name, one]) => {
      const progress = progressOf(one, readingsOf(one.root))
      const text = JSON.stringify(progress)
      const isDue = text !== one.told || nowMs - one.toldAtMs >= TOLD_EVERY_MS
      return isDue ? [{ name, one, progress, text }] : []
    })
    if (news.length > 0)
      await tellHistoryProgress(
        database,
        news.map(({ progress }) => progress),
      )
    for (const { name, one, progress, text } of news) {
      Object.assign(one, { told: text, toldAtMs: nowMs })
      if (progress.state !== 'reading' && readingsOf(one.root).length === 0) followed.delete(name)
    }
    if (nowMs < forgetAtMs) return
    forgetAtMs = nowMs + FORGET_EVERY_MS
    await forgetOldProgress(database)
  }

  const loop = startLoop({
    step: tell,
    restMs: REST_MS,
    firstAfterMs: REST_MS,
    onError: (error) => logger.warn({ err: error }, 'The progress of histories is not told'),
  })
  return {
    begun(root) {
      const name = nameOf(root)
      if (!followed.has(name)) followed.set(name, { root, failure: null, told: '', toldAtMs: 0 })
      loop.wake()
    },
    ended(root, failure) {
      const one = followed.get(nameOf(root))
      if (one !== undefined) one.failure = failure ?? one.failure
    },
    stop: () => loop.stop(),
  }
}

function progressOf({ root, failure }: Followed, readings: readonly Progress[]): HistoryProgress {
  const [newest] = readings
  const place = { accountId: root.accountId, chain: root.chain, address: root.address }
  const none = { provider: '', pages: 0, pagesExpected: null, waiting: 0, reason: '' }
  if (newest !== undefined)
    return { ...place, ...none, ...newest, state: 'reading', waiting: readings.length - 1 }
  return failure === null
    ? { ...place, ...none, state: 'read' }
    : { ...place, ...none, ...failure, state: 'failed' }
}

const nameOf = ({ accountId, chain, address }: OwnedPlace): string => `${accountId} ${chain} ${address}`
