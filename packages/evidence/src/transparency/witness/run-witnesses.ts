/**
 * Asks witnesses to cosign the last checkpoint, in the background: no screen, no leaf and no publication waits for a witness, and none
 * of them can stop one. Several processes may run it; one at a time asks.
 */
import { startLoop } from '@cupel/kit/concurrency'
import type { Logger, Metrics } from '@cupel/contracts'
import { createOutboundClient, type OutboundClient } from '@cupel/kit/outbound'
import type { Database } from '@cupel/postgres'
import type { SigningKeys } from '@cupel/signing'
import { cosignaturesOf, witnessKeyText } from '../format/cosignature.js'
import { publishFiles } from '../publish-files.js'
import { loadLog, type StoredLog } from '../state.js'
import { byTiles, hashReader, readConsistency } from '../tree-reader.js'
import { askWitness, type Answer } from './ask-witness.js'
import {
  claimWitnesses,
  otherHistory,
  putWitnesses,
  readCosigning,
  storeRound,
  uncosignedOf,
  type Claimed,
  type CosigningState,
} from './cosigned-rows.js'
import type { PublishedStore } from '../store/published-store.js'
import type { Witness, WitnessSettings } from './witness-settings.js'

/** Time limit for a call of a witness, the connection included. A witness is called at most twice for one checkpoint. */
export const WITNESS_TIMEOUT_MS = 4_000
/** A process that died while asking blocks the others for this time. */
const CLAIM_MS = 2 * WITNESS_TIMEOUT_MS + 2_000
/** Longest rest between two checks for a new checkpoint, in milliseconds. */
const MAX_REST_MS = 5_000
/** A lack of cosignatures is reported as a problem after this time. */
const UNCOSIGNED_MS = 60_000

export interface WitnessesOptions {
  readonly settings: WitnessSettings
  readonly log: { identity(): Promise<string> }
  readonly database: Database
  readonly keys: SigningKeys
  readonly stores: readonly PublishedStore[]
  /** Time between two checks for a new checkpoint, in milliseconds; a wake ends it early. */
  readonly intervalMs: number
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>
  readonly metrics: Metrics
  readonly now?: () => number
  /** Time limit for the call of one witness, in milliseconds. */
  readonly timeoutMs?: number
}

export interface RunningWitnesses {
  /** A new checkpoint was signed. */
  wake(): void
  /** A sentence that says why checkpoints are not cosigned, or which witness saw another history; null if there is no problem. */
  error(): string | null
  stop(): Promise<void>
}

export function startWitnesses(options: WitnessesOptions): RunningWitnesses {
  const { settings, database, logger } = options
  const client = createOutboundClient({
    allow: settings.allow,
    timeoutMs: options.timeoutMs ?? WITNESS_TIMEOUT_MS,
  })
  const restMs = Math.min(options.intervalMs, MAX_REST_MS)
  const meters = metersOf(options.metrics)
  const startedMs = performance.now()
  let putFor: number | null = null
  let isPublished = true
  let state: CosigningState | null = null
  let behindSinceMs: number | null = null
  const behindMs = (): number => (behindSinceMs === null ? 0 : performance.now() - behindSinceMs)

  async function step(signal: AbortSignal): Promise<void> {
    const identity = await options.log.identity()
    const stored = await loadLog(database, identity)
    if (stored === null || stored.checkpoint === null) return
    if (putFor !== stored.number) {
      const keys = settings.witnesses.map(({ key }) => key)
      await putWitnesses(database, stored.number, keys)
      putFor = stored.number
    }
    if (await askDue({ ...options, client, identity, signal, restMs, meters }, stored)) isPublished = false
    // If another process publishes at this moment, the new cosignatures are published at the next check.
    if (!isPublished)
      isPublished = await publishFiles(database, {
        stores: options.stores.map((store) => store.until(signal)),
        keys: options.keys,
        log: identity,
      })
    state = await readCosigning(database, identity)
    if (state === null) return
    behindSinceMs = state.cosigned?.size === state.size ? null : (behindSinceMs ?? performance.now())
    meters.age.set((state.cosigned?.ageMs ?? performance.now() - startedMs) / 1_000)
    meters.uncosigned.set(behindMs() / 1_000)
    for (const { name, sawOther } of state.witnesses)
      meters.inconsistent.set(sawOther ? 1 : 0, { witness: name })
  }

  const loop = startLoop({
    step,
    restMs,
    onError(error, failures) {
      if (failures === 1) logger.warn({ err: error }, 'Witnesses could not be asked, and it is tried again')
    },
  })
  return {
    wake: () => loop.wake(),
    error: () => (state === null ? null : uncosignedOf(state, behindMs() > UNCOSIGNED_MS)),
    async stop() {
      await loop.stop()
      await client.close()
    },
  }
}

const metersOf = (metrics: Metrics) => ({
  failures: metrics.counter(
    'transparency_witness_failures_total',
    'Tries at which a witness did not cosign a checkpoint',
    ['witness', 'reason'],
  ),
  age: metrics.gauge(
    'transparency_cosigned_age_seconds',
    'Age of the last checkpoint of the transparency log that enough witnesses cosigned; since the start if there is none',
  ),
  uncosigned: metrics.gauge(
    'transparency_uncosigned_seconds',
    'For how long too few witnesses cosigned the last checkpoints; 0 if enough of them cosigned the last one',
  ),
  inconsistent: metrics.gauge(
    'transparency_witness_inconsistent',
    '1 if a witness saw another history of the transparency log',
    ['witness'],
  ),
})

interface RoundParts extends WitnessesOptions {
  readonly client: OutboundClient
  readonly identity: string
  readonly signal: AbortSignal
  readonly restMs: number
  readonly meters: ReturnType<typeof metersOf>
}

/** The witnesses that have not cosigned this checkpoint, by their verifier keys. */
function missingOf(
  { checkpoint }: StoredLog,
  { witnesses }: Pick<WitnessSettings, 'witnesses'>,
): ReadonlyMap<string, Witness> {
  const keys = witnesses.map(({ key }) => key)
  const done = new Set(cosignaturesOf(checkpoint!, keys).map(({ keyId }) => keyId))
  const missing = witnesses.filter(({ key }) => !done.has(key.id))
  return new Map(missing.map((each) => [witnessKeyText(each.key), each]))
}

/** Asks all that are due at once for cosignatures of one checkpoint, and stores what they answered. Returns whether any was due. */
async function askDue(parts: RoundParts, before: StoredLog): Promise<boolean> {
  const { database, settings, identity, signal, restMs } = parts
  const { number } = before
  const vkeys = [...missingOf(before, settings).keys()]
  const claimed = vkeys.length === 0 ? [] : await claimWitnesses(database, number, { vkeys, forMs: CLAIM_MS })
  if (claimed.length === 0) return false
  // Another process may have asked meanwhile.
  const stored = (await loadLog(database, identity))!
  const missing = missingOf(stored, settings)
  const answers = await Promise.all(
    claimed.map(async (each) => {
      const witness = missing.get(each.vkey)
      const answer = witness === undefined ? null : await answerOf(witness, each.size, { ...parts, stored })
      if (witness === undefined || answer === null || signal.aborted) return []
      tell(each, witness, { ...parts, answer })
      return [{ vkey: each.vkey, answer }]
    }),
  )
  await storeRound(database, {
    ...{ number, note: stored.checkpoint!, size: stored.tree.size, claimed, restMs, settings },
    answers: answers.flat(),
  })
  return true
}

/** Null if another process got a longer checkpoint cosigned meanwhile, which is then the next to ask for. */
async function answerOf(
  witness: Witness,
  known: number,
  { database, client, signal, identity, stored, ...options }: RoundParts & { readonly stored: StoredLog },
): Promise<Answer | null> {
  const { number, tree, checkpoint } = stored
  const prove = async (from: number): Promise<string[]> => {
    const read = byTiles(hashReader(database, number), tree.size)
    return (await readConsistency(read, from, tree.size)).map((hash) => hash.toString('base64'))
  }
  const submission = { note: checkpoint!, size: tree.size, prove }
  const now = options.now ?? Date.now
  const outcome = await askWitness({ witness, known, submission, client, signal, now })
  if (outcome.kind !== 'ahead') return outcome
  const size = (await loadLog(database, identity))?.tree.size ?? 0
  if (size >= outcome.size) return null
  return {
    ...{ kind: 'failed', reason: 'inconsistent' },
    detail: `it cosigned a checkpoint of ${outcome.size} leaves, and the database has ${size}`,
  }
}

function tell(
  { failures, sawOther }: Claimed,
  { key: { name } }: Witness,
  { answer, logger, meters }: RoundParts & { readonly answer: Answer },
): void {
  if (answer.kind === 'cosigned') {
    if (failures > 0) logger.info({}, `The witness ${name} cosigns again`)
    return
  }
  const { reason, detail } = answer
  meters.failures.inc({ witness: name, reason })
  if (reason === 'inconsistent' && !sawOther) logger.error({}, `${otherHistory(name, detail)}.`)
  else if (failures === 0) logger.warn({}, `The witness ${name} does not cosign: ${detail}`)
}
