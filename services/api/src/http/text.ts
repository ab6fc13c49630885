/** A string of limited length, counted in characters as JSON Schema counts them, not in UTF-16 units. */
import { z } from 'zod'

/** Longer than any chain code. */
export const MAX_CHAIN_LENGTH = 32

/** Characters a customer's own reference may have. */
export const MAX_REFERENCE_LENGTH = 128

export function text(maxLength: number, minLength = 1): z.ZodString {
  return z
    .string()
    .min(minLength)
    .refine((value) => value.length <= maxLength || [...value].length <= maxLength, {
      error: `Too long: at most ${maxLength} characters`,
    })
    .meta({ maxLength, pattern: '^[^\\u0000]*$' })
}
