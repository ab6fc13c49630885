/** What is said where a job cannot be shown. */
import type { FoundJob } from '@cupel/read-models'
import { refuse, type Refusal } from '../../http/problem.js'

/** A projection that is behind has usually caught up by then. */
const RETRY_SECONDS = 1

export function jobRefusal({ kind }: Exclude<FoundJob, { kind: 'job' }>): Refusal {
  if (kind === 'unknown') return refuse('not_found', 'There is no such job.')
  return refuse('unavailable', 'Jobs are being caught up with; how this one stands is not known yet.', {
    retryAfterSeconds: RETRY_SECONDS,
  })
}
