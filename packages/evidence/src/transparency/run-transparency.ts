/** Keeps the transparency log up to date. Several processes may run it; only one of them takes each step. */
import { createPauses, startLoop } from '@cupel/kit/concurrency'
import type { Logger, Metrics, TopicSpec } from '@cupel/contracts'
import { type EventCodec, type EventLog, type Place, placesOf } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { archiveFault, readArchives } from './archives.js'
import { listRetentionRuns, retentionFault } from '@cupel/projections'
import { extendLog } from './extend-log.js'
import type { WitnessPolicy } from './format/cosignature.js'
import { policyText } from './format/policy.js'
import { publishKeys } from './keys/publish-keys.js'
import type { EvidenceSettings } from './keys/settings.js'
import { requireSameEnds } from './operators/lost-records.js'
import { publishFiles } from './publish-files.js'
import { storeStanding } from './standing.js'
import { TransparencyStoppedError } from './transparency-stopped.js'

/** Longest rest between two checks of the log, so that an event is in a checkpoint within 10 s. */
export const MAX_TRANSPARENCY_REST_MS = 5_000

/** Calls that the process serves go first. An event can wait for two steps and the rest between them, and has its leaf within 10 s nevertheless. */
const PAUSES = { factor: 4, totalMs: 1_000 }

export interface TransparencyOptions extends EvidenceSettings {
  readonly log: EventLog
  readonly codec: EventCodec
  readonly database: Database
  readonly topics: readonly TopicSpec[]
  readonly logger: Logger
  readonly metrics: Metrics
  /** Those of the trust policy that is published; none by default. */
  readonly witnesses?: WitnessPolicy | undefined
  /** A longer tree was signed and published. */
  readonly onSigned?: () => void
}

export interface RunningTransparency {
  /** A sentence that says why records get no leaves; null if they get them. */
  error(): string | null
  stop(): Promise<void>
}

export function startTransparency(options: TransparencyOptions): RunningTransparency {
  const { log, database, keys, logger, metrics } = options
  const counted = metrics.counter(
    'transparency_leaves_total',
    'Records that got a leaf of the transparency log',
  )
  const late = metrics.gauge('archives_late', 'Archives of the log whose last run failed or is too long ago')
  const unretired = metrics.gauge(
    'retention_late',
    'Repeated retentions that are refused, or of which no run ended for too long',
  )
  const stopped = metrics.gauge('transparency_stopped', '1 if no record gets a leaf')
  let places: readonly Place[] | null = null
  let error: string | null = null

  async function told(signal: AbortSignal): Promise<number | undefined> {
    try {
      return await step(signal)
    } catch (cause) {
      // Without a database nothing can be stored, and only the check of this process says it.
      if (!signal.aborted)
        await storeStanding(database, await log.identity(), (cause as Error).message).catch(() => undefined)
      throw cause
    }
  }

  async function step(signal: AbortSignal): Promise<number | undefined> {
    places ??= await begin()
    const identity = await log.identity()
    const archives = await readArchives(database, identity)
    late.set(archives.filter((archive) => archiveFault(archive) !== null).length)
    unretired.set((await listRetentionRuns(database)).filter((runs) => retentionFault(runs) !== null).length)
    const pauses = createPauses({ ...PAUSES, signal })
    const stores = options.stores.map((store) => store.until(signal))
    const result = await extendLog({ ...options, stores, places, pauses })
    const policy = policyText({ ...options, publicKeys: keys.publicKeys, log: identity })
    await publishFiles(database, { stores, keys, log: identity, policy }, pauses)
    await storeStanding(database, identity, null)
    if (error !== null) logger.info({}, 'Records get leaves of the transparency log again')
    error = null
    stopped.set(0)
    if (result === 'overtaken') return undefined
    counted.inc({}, result.leaves)
    if (result.leaves > 0) options.onSigned?.()
    return result.hasMore ? 0 : undefined
  }

  async function begin(): Promise<readonly Place[]> {
    await publishKeys(database, keys)
    await requireSameEnds(database, log)
    return (await placesOf(log, options.topics)).sort(inOrder)
  }

  function failed(cause: unknown): void {
    const message = (cause as Error).message
    if (error !== message) {
      if (cause instanceof TransparencyStoppedError)
        logger.error({}, `No record gets a leaf of the transparency log: ${message}`)
      else logger.warn({ err: cause }, 'The transparency log could not go on, and it is tried again')
    }
    error = message
    stopped.set(1)
  }

  const restMs = Math.min(options.intervalMs, MAX_TRANSPARENCY_REST_MS)
  const loop = startLoop({ step: told, restMs, onError: failed })
  return { error: () => error, stop: () => loop.stop() }
}

function inOrder(one: Place, other: Place): number {
  if (one.topic === other.topic) return one.partition - other.partition
  return one.topic < other.topic ? -1 : 1
}
