/** A string of limited length, counted in characters as JSON Schema counts them, not in UTF-16 units. */
import { z } from 'zod'

export function text(maxLength: number, minLength = 1): z.ZodString {
  return z
    .string()
    .min(minLength)
    .refine((value) => value.length <= maxLength || [...value].length <= maxLength, {
      error: `Too long: at most ${maxLength} characters`,
    })
    .meta({ maxLength })
}
