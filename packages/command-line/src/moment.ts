/** A date or time given as an option. */
import { CommandError, EXIT_USAGE } from './explain.js'

/** UTC, RFC 3339 with milliseconds. Throws CommandError if the text is not a date. */
export function momentOf(option: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const timeMs = Date.parse(text)
  if (Number.isNaN(timeMs))
    throw new CommandError(`${option} takes a date such as 2026-11-21, not ${text}.`, EXIT_USAGE)
  return new Date(timeMs).toISOString()
}
