/** The answer to a token that opens nothing. A client that guesses tokens is treated like one that guesses keys. */
import type { AdmissionGate } from '../access/index.js'
import { refuse, type Refusal } from '../http/index.js'
import { refusalOf } from './refusal-of.js'

export function refuseToken(gate: Pick<AdmissionGate, 'noteFailure'>, clientAddress: string): Refusal {
  const retryAfterSeconds = gate.noteFailure(clientAddress)
  if (retryAfterSeconds === null) return refuse('not_found', 'The link is unknown, expired or revoked.')
  const reason = 'too_many_failures'
  return refusalOf({ admitted: false, reason, caller: null, rateLimit: null, retryAfterSeconds })
}
