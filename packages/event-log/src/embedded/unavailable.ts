import { isUnavailable, sqlState } from '@cupel/postgres'
import { LogUnavailableError } from '../port.js'

/** Rethrows an outage of the database as LogUnavailableError, and every other error unchanged. */
export function unavailable(error: unknown): never {
  if (sqlState(error) === null && !isUnavailable(error) && !isPoolEnd(error)) throw error
  const because = error instanceof Error ? error.message : String(error)
  throw new LogUnavailableError(`The log could not be reached: ${because}`, { cause: error })
}

const isPoolEnd = (error: unknown): boolean =>
  error instanceof Error && error.message.includes('calling end on the pool')
