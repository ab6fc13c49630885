import { InvalidArgumentError } from './errors.js'

const MAX_WAIT_SECONDS = 20

/** The service ignores a preference that it cannot read, so a mistake is refused here. */
export function secondsOf(seconds: number | undefined): number | undefined {
  if (seconds === undefined || (Number.isInteger(seconds) && seconds >= 0 && seconds <= MAX_WAIT_SECONDS))
    return seconds
  throw new InvalidArgumentError(`waitSeconds is a whole number from 0 to ${MAX_WAIT_SECONDS}.`)
}
