/** Reads the API description for tests. */
import { z } from 'zod'
import { inlineReferences } from '@cupel/gate/http'
import { openapiDocument, describedEndpoints } from '../src/openapi-document.js'
import type { Reply } from './http-client.js'

export interface Media {
  readonly schema: z.core.JSONSchema.JSONSchema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value: Record<string, unknown> }>>
}

export interface DescribedHeader {
  readonly required?: boolean
  readonly schema?: z.core.JSONSchema.JSONSchema
  readonly example?: unknown
  readonly $ref?: string
}

export interface DescribedResponse {
  readonly headers: Readonly<Record<string, DescribedHeader>>
  readonly content?: Readonly<Record<string, Media>>
}

export interface Operation {
  readonly operationId: string
  readonly security?: readonly unknown[]
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, DescribedResponse>>
}

const kinds = ['responses', 'parameters', 'examples']

export const document = inlineReferences(JSON.parse(openapiDocument()), kinds) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, unknown>>
    readonly headers: Readonly<Record<string, DescribedHeader>>
  }
}

export interface Described {
  /** The method in upper case. */
  readonly method: string
  /** The path with its parameters in braces. */
  readonly path: string
  readonly operation: Operation
  /** Whether the endpoint queries something, and so can fail. */
  readonly usesStore: boolean
}

const storeless: ReadonlySet<string> = new Set(
  describedEndpoints()
    .filter(({ usesStore }) => usesStore === false)
    .map(({ operationId }) => operationId),
)

export const operations: readonly Described[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    ...{ method: method.toUpperCase(), path, operation },
    usesStore: !storeless.has(operation.operationId),
  })),
)

/** Returns the example body of this operation in the description. */
export function exampleOf(method: string, path: string): object {
  const { requestBody } = document.paths[path]![method.toLowerCase()]!
  return requestBody!.content['application/json']!.example as object
}

/** Headers with fixed values: each must equal its description exactly. */
const FIXED = new Set([
  'cache-control',
  'x-content-type-options',
  'content-security-policy',
  'referrer-policy',
  'cross-origin-resource-policy',
  'x-frame-options',
  'strict-transport-security',
])

/** A build changes the hash of a page's script, and no promise with it. */
const withoutHashes = (policy: unknown): string => String(policy).replaceAll(/'sha256-[\w+/=]+'/g, 'a hash')

/** Compares the headers of an answer with the description of its status. Returns the differences; empty if there are none. */
export function headerFaults(
  { responses }: Operation,
  reply: Reply,
  { isSecure }: { isSecure: boolean },
): string[] {
  const described = responses[String(reply.status)]
  if (described === undefined) return [`${reply.status} is not described`]
  const named = new Map(
    Object.entries(described.headers).map(([name, header]) => [name.toLowerCase(), headerOf(header)]),
  )
  const faults: string[] = []
  for (const name of FIXED) if (!named.has(name)) faults.push(`${name} is not described`)
  for (const [name, { required, schema, example }] of named) {
    const value = reply.headers[name]
    const isExpected = name === 'strict-transport-security' ? isSecure : required === true
    if (value === undefined) {
      if (isExpected) faults.push(`${name} is missing`)
      continue
    }
    if (name === 'strict-transport-security' && !isSecure) faults.push(`${name} was sent in the clear`)
    const isNumber = schema?.type === 'integer'
    const given = isNumber ? Number(value) : value
    if (!z.fromJSONSchema(schema!).safeParse(given).success) faults.push(`${name}: ${String(value)}`)
    if (FIXED.has(name) && withoutHashes(value) !== withoutHashes(example))
      faults.push(`${name}: ${String(value)} is not what is described`)
  }
  // The API adds no undescribed header that a client could rely on or that reveals its software.
  const generic = [
    'content-type',
    'content-length',
    'date',
    'connection',
    'keep-alive',
    'allow',
    'transfer-encoding',
  ]
  for (const name of Object.keys(reply.headers))
    if (!named.has(name) && !generic.includes(name)) faults.push(`${name} is sent and not described`)
  return faults
}

function headerOf(header: DescribedHeader): DescribedHeader {
  if (header.$ref === undefined) return header
  return document.components.headers[header.$ref.split('/').at(-1)!]!
}
