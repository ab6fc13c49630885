/** The answers where a job cannot be shown. */
import type { NotFound } from '../read-model/index.js'
import { refuse, type Refusal } from '@cupel/gate/http'

/** A projection that lags has usually caught up by then. */
const RETRY_SECONDS = 1

export function jobRefusal({ kind }: NotFound): Refusal {
  if (kind === 'unknown') return refuse('not_found', 'There is no such job.')
  return refuse('unavailable', 'The read model lags; the state of this job is not known yet.', {
    retryAfterSeconds: RETRY_SECONDS,
  })
}
