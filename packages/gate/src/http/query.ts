/** The query of a URL, each parameter at most once, through the endpoint's schema. */
import type { IncomingMessage } from 'node:http'
import { escapeStep } from '@cupel/domain'
import { z } from 'zod'
import { faultsOf } from './faults.js'
import type { Fault } from './strict-json.js'

export type Query =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly faults: readonly Fault[] }

/** The query of an endpoint without parameters. */
export const noParameters = z.strictObject({})

/** An unknown parameter is refused, like an unknown field of a body. */
export function readQuery(schema: z.ZodType, request: IncomingMessage): Query {
  const url = request.url ?? ''
  const start = url.indexOf('?')
  const given: Record<string, string> = Object.create(null) as Record<string, string>
  for (const [name, value] of new URLSearchParams(start === -1 ? '' : url.slice(start + 1))) {
    const pointer = `/${escapeStep(name)}`
    if (name in given)
      return { ok: false, faults: [{ pointer, detail: 'The parameter is given more than once.' }] }
    if (value.includes('\0')) return { ok: false, faults: [{ pointer, detail: 'The parameter holds NUL.' }] }
    given[name] = value
  }
  const parsed = schema.safeParse({ ...given })
  return parsed.success
    ? { ok: true, value: parsed.data }
    : { ok: false, faults: faultsOf(parsed.error, schema) }
}
