/** Values of options that several commands take. */
import { InvalidArgumentError } from 'commander'

/** Parses a count. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number up to 999999999.')
  return Number(text)
}
