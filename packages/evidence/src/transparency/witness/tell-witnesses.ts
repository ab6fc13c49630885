/** Metrics, log lines and the projector's check for witnesses. */
import type { Logger, Metrics } from '@cupel/contracts'
import type { FailureReason } from './ask-witness.js'
import { otherHistory, type CosigningState } from './cosigned-rows.js'
import type { Witness, WitnessSettings } from './witness-settings.js'

/** The state of the witness, in this process. */
export interface Standing {
  failures: number
  /** Not asked before this time, in milliseconds of performance.now(). */
  notBeforeMs: number
  /** Failure of the last attempt; null if it cosigned. */
  failure: { readonly reason: FailureReason; readonly detail: string } | null
}

export interface Telling {
  failed(witness: Witness, failure: { readonly reason: FailureReason; readonly detail: string }): void
  cosigned(witness: Witness): void
  look(state: CosigningState): void
  error(): string | null
}

/** Longest rest between two checks for a new checkpoint, in milliseconds. */
export const MAX_REST_MS = 5_000
/** A failing witness is asked at growing intervals, up to this time. */
const MAX_STAND_BACK_MS = 60_000
/** A lack of cosignatures is reported as a problem after this time. */
const UNCOSIGNED_MS = 60_000

interface TellingOptions {
  readonly settings: WitnessSettings
  readonly intervalMs: number
  readonly logger: Logger
  readonly metrics: Metrics
}

function metersOf(metrics: Metrics) {
  return {
    cosignatures: metrics.counter(
      'transparency_cosignatures_total',
      'Cosignatures that witnesses gave to checkpoints of the transparency log',
      ['witness'],
    ),
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
  }
}

export function tellWitnesses(
  { settings, logger, metrics, intervalMs }: TellingOptions,
  standings: ReadonlyMap<Witness, Standing>,
): Telling {
  const { cosignatures, failures, age, uncosigned, inconsistent } = metersOf(metrics)
  const startedMs = performance.now()
  let sinceMs: number | null = null

  return {
    failed(witness, failure) {
      const standing = standings.get(witness)!
      const { name } = witness.key
      standing.failures += 1
      standing.notBeforeMs =
        performance.now() +
        Math.min(MAX_STAND_BACK_MS, Math.min(intervalMs, MAX_REST_MS) * 2 ** standing.failures)
      failures.inc({ witness: name, reason: failure.reason })
      inconsistent.set(failure.reason === 'inconsistent' ? 1 : 0, { witness: name })
      if (failure.reason === 'inconsistent' && standing.failure?.detail !== failure.detail)
        logger.error({}, `${otherHistory(name, failure.detail)}.`)
      else if (standing.failure === null)
        logger.warn({}, `The witness ${name} does not cosign: ${failure.detail}`)
      standing.failure = failure
    },
    cosigned(witness) {
      const standing = standings.get(witness)!
      if (standing.failure !== null) logger.info({}, `The witness ${witness.key.name} cosigns again`)
      Object.assign(standing, { failures: 0, notBeforeMs: 0, failure: null })
      cosignatures.inc({ witness: witness.key.name })
      inconsistent.set(0, { witness: witness.key.name })
    },
    look({ size, cosigned }) {
      const nowMs = performance.now()
      sinceMs = cosigned?.size === size ? null : (sinceMs ?? nowMs)
      age.set((cosigned?.ageMs ?? nowMs - startedMs) / 1_000)
      uncosigned.set(sinceMs === null ? 0 : (nowMs - sinceMs) / 1_000)
    },
    error() {
      const failing = [...standings].flatMap(([{ key }, { failure }]) =>
        failure === null ? [] : [{ name: key.name, ...failure }],
      )
      const other = failing.find(({ reason }) => reason === 'inconsistent')
      if (other !== undefined) return `${otherHistory(other.name, other.detail)}.`
      if (sinceMs === null || performance.now() - sinceMs < UNCOSIGNED_MS) return null
      const said = failing.map(({ name, detail }) => `${name}: ${detail}`).join('; ')
      return `For ${Math.round((performance.now() - sinceMs) / 1_000)} s fewer than ${settings.quorum} witnesses cosigned the last checkpoint (${said}).`
    },
  }
}
