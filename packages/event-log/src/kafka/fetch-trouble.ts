/** Faults that prevent further reads of a partition, and the error for the reader. */
import { LogStoppedError } from '../port.js'

export type FetchTrouble =
  | { readonly kind: 'out-of-range' }
  | { readonly kind: 'gap'; readonly found: number }
  | { readonly kind: 'missing' }
  | { readonly kind: 'recreated' }
  | { readonly kind: 'unreadable'; readonly error: Error }

/** The error that ends a reader with this fault at `offset`. */
export function stoppedBy(
  trouble: Exclude<FetchTrouble, { kind: 'out-of-range' }>,
  place: string,
  offset: number,
): LogStoppedError {
  if (trouble.kind === 'missing')
    return new LogStoppedError('truncated-log', `The topic of ${place} no longer exists.`)
  if (trouble.kind === 'recreated')
    return new LogStoppedError(
      'foreign-log',
      `The topic of ${place} was deleted and created anew: what stood before ${offset} is gone.`,
    )
  if (trouble.kind === 'unreadable')
    return new LogStoppedError('crashed', `${trouble.error.message}.`, { cause: trouble.error })
  return new LogStoppedError(
    'gap',
    `${place} has no record ${offset}; the next one is ${trouble.found}: records are missing.`,
  )
}
