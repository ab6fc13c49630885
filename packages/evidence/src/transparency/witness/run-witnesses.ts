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
import { askWitness, type WitnessOutcome } from './ask-witness.js'
import {
  endTurn,
  putWitnesses,
  readCosigning,
  storeCosignature,
  storeFailure,
  takeTurn,
} from './cosigned-rows.js'
import { MAX_REST_MS, tellWitnesses, type Standing, type Telling } from './tell-witnesses.js'
import type { PublishedStore } from '../store/published-store.js'
import type { Witness, WitnessSettings } from './witness-settings.js'

/** Time limit for a call of a witness, the connection included. A witness is called at most twice for one checkpoint. */
export const WITNESS_TIMEOUT_MS = 4_000
/** A process that died while asking blocks the others for this time. */
const TURN_MS = 2 * WITNESS_TIMEOUT_MS + 2_000

export interface WitnessesOptions {
  readonly settings: WitnessSettings
  readonly log: { identity(): Promise<string> }
  readonly database: Database
  readonly keys: SigningKeys
  readonly stores: readonly PublishedStore[]
  /** Time between two checks for a new checkpoint, in milliseconds; a wake ends it early. */
  readonly intervalMs: number
  readonly logger: Logger
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
  const standings = new Map<Witness, Standing>(
    settings.witnesses.map((each) => [each, { failures: 0, notBeforeMs: 0, failure: null }]),
  )
  const told = tellWitnesses(options, standings)
  let putFor: number | null = null
  let isPublished = true

  async function step(signal: AbortSignal): Promise<void> {
    const identity = await options.log.identity()
    const stored = await loadLog(database, identity)
    if (stored === null || stored.checkpoint === null) return
    if (putFor !== stored.number) {
      const keys = settings.witnesses.map(({ key }) => key)
      await putWitnesses(database, stored.number, keys)
      putFor = stored.number
    }
    if (dueWitnesses(stored, standings).length > 0 && (await takeTurn(database, stored.number, TURN_MS))) {
      try {
        // Another process may have asked meanwhile.
        const now = await loadLog(database, identity)
        if (now !== null) await askAll({ ...options, client, identity, signal, restMs, standings, told }, now)
      } finally {
        await endTurn(database, stored.number)
      }
      isPublished = false
    }
    // If another process publishes at this moment, the new cosignatures are published at the next check.
    if (!isPublished)
      isPublished = await publishFiles(database, {
        stores: options.stores,
        keys: options.keys,
        log: identity,
      })
    const state = await readCosigning(database, identity)
    if (state !== null) told.look(state)
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
    error: () => told.error(),
    async stop() {
      await loop.stop()
      await client.close()
    },
  }
}

/** The witnesses that have not cosigned this checkpoint, and are not in a pause after a failure. */
function dueWitnesses(
  { checkpoint }: StoredLog,
  standings: ReadonlyMap<Witness, Standing>,
): readonly Witness[] {
  if (checkpoint === null) return []
  const witnesses = [...standings.keys()]
  const done = new Set(
    cosignaturesOf(
      checkpoint,
      witnesses.map(({ key }) => key),
    ).map(({ keyId }) => keyId),
  )
  const nowMs = performance.now()
  return witnesses.filter((each) => !done.has(each.key.id) && standings.get(each)!.notBeforeMs <= nowMs)
}

interface RoundParts extends WitnessesOptions {
  readonly client: OutboundClient
  readonly identity: string
  readonly signal: AbortSignal
  readonly restMs: number
  readonly standings: ReadonlyMap<Witness, Standing>
  readonly told: Telling
}

/** Asks all at once, so that a slow witness delays no other. Each answer is stored when it arrives. */
async function askAll(parts: RoundParts, stored: StoredLog): Promise<void> {
  const { database, settings, client, signal, told, identity } = parts
  const note = stored.checkpoint!
  const { number, tree } = stored
  const known = await readCosigning(database, identity)
  const read = byTiles(hashReader(database, number), tree.size)
  const prove = async (from: number): Promise<string[]> =>
    (await readConsistency(read, from, tree.size)).map((hash) => hash.toString('base64'))
  const lines: string[] = []
  await Promise.all(
    dueWitnesses(stored, parts.standings).map(async (witness) => {
      const outcome = await settled(
        askWitness({
          ...{ witness, client, signal, submission: { note, size: tree.size, prove } },
          known: known?.witnesses.find(({ vkey }) => vkey === witnessKeyText(witness.key))?.size ?? 0,
          now: parts.now ?? Date.now,
        }),
        parts,
      )
      if (outcome === null || signal.aborted) return
      if (outcome.kind === 'failed') {
        await storeFailure(database, { number, key: witness.key, ...outcome })
        return told.failed(witness, outcome)
      }
      lines.push(outcome.line)
      await storeCosignature(database, {
        number,
        note,
        size: tree.size,
        lines: [...lines],
        key: witness.key,
        settings,
      })
      told.cosigned(witness)
    }),
  )
}

type Settled = Exclude<WitnessOutcome, { kind: 'ahead' }>

/** Null if another process got a longer checkpoint cosigned meanwhile, which is then the next to ask for. */
async function settled(
  asked: Promise<WitnessOutcome>,
  { database, identity }: RoundParts,
): Promise<Settled | null> {
  const outcome = await asked
  if (outcome.kind !== 'ahead') return outcome
  const now = (await loadLog(database, identity))?.tree.size ?? 0
  if (now >= outcome.size) return null
  return {
    ...{ kind: 'failed', reason: 'inconsistent' },
    detail: `it cosigned a checkpoint of ${outcome.size} leaves, and the database has ${now}`,
  }
}
