/** Checks single fields of providers' answers: type, form and range. */
import { z } from 'zod'
import { ProviderError } from './provider-error.js'

const MAX_UINT256 = 2n ** 256n - 1n
/** Longest list in an answer; a provider that returns more does not answer the question. */
export const MAX_LIST_LENGTH = 5_000

/** A whole number from 0, as JSON number or decimal digits: decimal text. */
export const baseUnits = z
  .union([z.int().min(0), z.bigint().min(0n), z.string().regex(/^\d{1,78}$/)])
  .transform((value) => BigInt(value))
  .refine((value) => value <= MAX_UINT256)
  .transform(String)

/** Like `baseUnits`, up to the largest whole number that a JSON number holds exactly. */
export const count = z
  .union([z.int().min(0), z.string().regex(/^\d{1,16}$/)])
  .transform(Number)
  .refine(Number.isSafeInteger)

/** Height as decimal text. */
export const height = count.transform(String)

/** `0x…` quantity of JSON-RPC: at most 256 bits. */
export const hexQuantity = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/)
  .transform((text) => BigInt(text))

export const hexCount = hexQuantity
  .refine((value) => value <= BigInt(Number.MAX_SAFE_INTEGER))
  .transform(Number)

export const hexHash = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/)
  .transform((text) => text.toLowerCase())

/** Hash without prefix, as chains of Bitcoin's family and TRON write it. */
export const bareHash = z
  .string()
  .regex(/^[0-9a-fA-F]{64}$/)
  .transform((text) => text.toLowerCase())

/** Seconds since 1970, between the first block of any chain and the year 2100. */
export const unixSeconds = count.refine((seconds) => seconds > 1_230_000_000 && seconds < 4_102_444_800)

export const listOf = <T extends z.ZodType>(item: T) => z.array(item).max(MAX_LIST_LENGTH)

/** Parses an answer; throws a ProviderError that names the first invalid field, never its value. */
export function readAnswer<T extends z.ZodType>(schema: T, answer: unknown, name: string): z.output<T> {
  const read = schema.safeParse(answer)
  if (read.success) return read.data
  const place = read.error.issues[0]?.path.join('.') ?? ''
  throw new ProviderError('malformed', `${name}${place === '' ? '' : `: ${place}`}`)
}
