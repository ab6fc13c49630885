/** Text of requests: strings of limited length, counted in characters as JSON Schema counts them, not in UTF-16 units. */
import { upperAscii, withoutApiKeys } from '@cupel/domain'
import { z } from 'zod'

/** Longer than any chain code. */
const MAX_CHAIN_LENGTH = 32

/** Characters a customer's own reference may have. */
export const MAX_REFERENCE_LENGTH = 128

export function text(maxLength: number, minLength = 1): z.ZodString {
  return anyText(maxLength, minLength).meta({ pattern: '^[^\\u0000]*$' })
}

/** The same, for a field in which the endpoint judges NUL itself. */
export function anyText(maxLength: number, minLength = 1): z.ZodString {
  return z
    .string()
    .min(minLength)
    .refine((value) => value.length <= maxLength || [...value].length <= maxLength, {
      error: `Too long: at most ${maxLength} characters`,
    })
    .meta({ maxLength })
}

/** The caller's own reference or name of something. Answers, and the logs of their readers, contain it. */
export function ownText(maxLength: number) {
  return orAbsent(
    text(maxLength).refine((value) => withoutApiKeys(value) === value, {
      error: 'This looks like an API key',
    }),
  )
}

/** A chain code in any case: the same chain is the same text, so that both spellings are one request under one Idempotency-Key. */
const upperCaseChain = text(MAX_CHAIN_LENGTH).transform((code) => upperAscii(code))

/** A chain code of a body that must name one. */
export const requiredChain = upperCaseChain

/** A chain code of a body, where null is the same as no chain. */
export const chainCode = orAbsent(upperCaseChain)

/** The chain code of a query. */
export const chainParameter = upperCaseChain.optional()

/** An optional member of a body. Many clients send null for what they leave out; both are read as absent. */
export function orAbsent<T extends z.ZodType>(schema: T) {
  return schema.nullish().transform((value) => value ?? undefined)
}
