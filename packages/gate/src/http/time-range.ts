/** The parameters `from` and `to` of lists in the order of time. */
import { z } from 'zod'

export const NO_SUCH_TIME = { error: 'There is no such time' }

const time = (meaning: string) =>
  z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2}))?$/, {
      error: 'Expected a date (YYYY-MM-DD) or an RFC 3339 time',
    })
    .refine((text) => isTime(text), NO_SUCH_TIME)
    .transform((text) => new Date(text).toISOString())
    .optional()
    .meta({
      description: `${meaning} A date (its first moment, UTC) or an RFC 3339 time.`,
      override: { type: 'string' },
    })

/** A moment of a body, to the millisecond: further digits are cut off. */
export const moment = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/, {
    error: 'Expected an RFC 3339 time',
    abort: true,
  })
  .refine((text) => isTime(text), NO_SUCH_TIME)
  .transform((text) => new Date(text).toISOString())
  .meta({ override: { type: 'string', format: 'date-time' } })

/**
 * Whether it is a time to the database too, which has no year 0, and in UTC no year of more than four digits. A text of another form is refused as
 * such a one.
 */
export function isInCalendar(text: string): boolean {
  const at = new Date(text)
  return Number.isNaN(at.getTime()) || /^(?!0000)\d{4}-/.test(at.toISOString())
}

/** A date that the calendar lacks, such as 30 February, would become another one. */
function isTime(text: string): boolean {
  const day = text.slice(0, 'YYYY-MM-DD'.length)
  const midnight = new Date(`${day}T00:00:00Z`)
  // A text of another form comes here too.
  if (Number.isNaN(Date.parse(text)) || Number.isNaN(midnight.getTime()) || !isInCalendar(text)) return false
  return midnight.toISOString().startsWith(day)
}

/** Both are optional; a range that ends before it begins has no items. */
export const timeRange = {
  from: time('Only items of this time or later.'),
  to: time('Only items before this time.'),
}
