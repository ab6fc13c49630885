/** Values of options that several commands take. */
import { InvalidArgumentError } from 'commander'

/** Parses a count. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number up to 999999999.')
  return Number(text)
}

/** Checks the form of a report id. */
export function reportIdValue(text: string): string {
  if (!/^[0-9a-f]{16}$/.test(text))
    throw new InvalidArgumentError('A report id is 16 lowercase hex characters.')
  return text
}
