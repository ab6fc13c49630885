/** What the description shows is what the service does: its examples are sent, and what comes back fits what is described. */
import type { ProblemCode } from '@cupel/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { openapiDocument } from '../src/index.js'
import { call, type CallOptions, type Reply } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'

interface Media {
  readonly schema: z.core.JSONSchema.JSONSchema
  readonly example?: unknown
  readonly examples?: Record<string, { readonly value: Record<string, unknown> }>
}
interface Operation {
  readonly operationId: string
  readonly security?: readonly unknown[]
  readonly requestBody?: { readonly content: Record<string, Media> }
  readonly responses: Record<
    string,
    {
      readonly headers: Record<string, { readonly required?: boolean }>
      readonly content: Record<string, Media>
    }
  >
}
const document = JSON.parse(openapiDocument()) as {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, unknown> }
}
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
)

let installation: Installation
let url: string
let key: string
let readOnlyKey: string
let distantKey: string
let reportId: string
beforeAll(async () => {
  installation = await startInstallation()
  url = (await installation.api()).url
  const account = await installation.key()
  key = account.key
  readOnlyKey = (await installation.key({ accountId: account.accountId, scope: 'read-only' })).key
  distantKey = (await installation.key({ allowedIps: ['203.0.113.0/24'] })).key
  const reply = await call(url, 'POST', '/v1/screen', { key, body: exampleOf('/v1/screen') })
  reportId = String(reply.json()['report_id'])
})
afterAll(() => installation.stop())

function exampleOf(path: string): object {
  return document.paths[path]!['post']!.requestBody!.content['application/json']!.example as object
}

const concrete = (path: string): string => path.replaceAll(/\{\w+\}/g, reportId)

test.each(operations.map((one) => [one.operation.operationId, one] as const))(
  '%s answers its example as described',
  async (_name, { method, path, operation }) => {
    const body = operation.requestBody === undefined ? {} : { body: exampleOf(path) }
    const isOpen = operation.security?.length === 0
    const reply = await call(url, method, concrete(path), { ...(isOpen ? {} : { key }), ...body })
    const described = operation.responses[String(reply.status)]
    expect(reply.status, reply.text).toBeLessThan(300)
    expect(described, `${reply.status} is not described`).toBeDefined()
    const [type, media] = Object.entries(described!.content)[0]!
    expect(reply.headers['content-type']).toBe(type)
    const value: unknown = type === 'application/json' ? reply.json() : reply.text
    expect(z.fromJSONSchema(inline(media.schema) as never).safeParse(value).error).toBeUndefined()
    for (const [name, header] of Object.entries(described!.headers))
      if (header.required === true || (name !== 'Idempotency-Replayed' && '$ref' in header))
        expect(reply.headers, name).toHaveProperty(name.toLowerCase())
  },
)

/** How a caller comes by each problem; the others need a service that is down, late or busy, and have tests of their own. */
const provoked: Partial<Record<ProblemCode, (method: string, path: string) => Promise<Reply>>> = {
  invalid_key: (method, path) => send(method, path, {}),
  ip_not_allowed: (method, path) => send(method, path, { key: distantKey }),
  scope_required: (method, path) => send(method, path, { key: readOnlyKey }),
  invalid_request: (method, path) =>
    method === 'POST'
      ? send(method, path, { key, body: { addres: 'x' } })
      : send(method, `${path}?page_size=0`, { key }),
  invalid_address: (method, path) => sendAddress(method, path, { address: 'nonsense' }),
  unsupported_chain: (method, path) =>
    sendAddress(method, path, { ...exampleOf('/v1/screen'), chain: 'XYZ' }),
  chain_mismatch: (method, path) => sendAddress(method, path, { ...exampleOf('/v1/screen'), chain: 'BTC' }),
  unsupported_media_type: (method, path) =>
    send(method, path, { key, headers: { 'content-type': 'text/plain' } }),
  payload_too_large: (method, path) => send(method, path, { key, body: ' '.repeat(1_048_577) }),
  not_found: (method, path) => send(method, path.replace(reportId, '0000000000000000'), { key }),
}

function send(method: string, path: string, options: CallOptions): Promise<Reply> {
  return call(url, method, path, {
    ...(method === 'POST' ? { body: exampleOf('/v1/screen') } : {}),
    ...options,
  })
}

/** In the body of a POST, in the query of a list. */
function sendAddress(method: string, path: string, input: object): Promise<Reply> {
  if (method === 'POST') return send(method, path, { key, body: input })
  return send(method, `${path}?${new URLSearchParams(input as Record<string, string>).toString()}`, { key })
}

test('problems that a caller can provoke have the form of their example', async () => {
  const seen = new Set<string>()
  for (const { method, path, operation } of operations) {
    for (const [status, { content }] of Object.entries(operation.responses)) {
      for (const [code, example] of Object.entries(content['application/problem+json']?.examples ?? {})) {
        const provoke = provoked[code as ProblemCode]
        // Without a query there is nothing wrong to send but a missing Host, which has its own test.
        if (provoke === undefined || (code === 'invalid_request' && !takesInput(path))) continue
        const reply = await provoke(method, concrete(path))
        const where = `${method} ${path} ${code}`
        const { type, title, status: statusMember } = example.value
        expect(reply.json(), where).toMatchObject({ type, title, code, status: statusMember })
        expect(String(reply.status), where).toBe(status)
        expect(Object.keys(reply.json()), where).toEqual(expect.arrayContaining(['detail', 'request_id']))
        expect(reply.headers['request-id'], where).toBe(reply.json()['request_id'])
        seen.add(code)
      }
    }
  }
  expect([...seen].sort()).toEqual(Object.keys(provoked).sort())
})

const takesInput = (path: string): boolean =>
  ['/v1/screen', '/v1/reports', '/v1/chains', '/v1/audit-log'].includes(path)

/** The schema with its references replaced by what they refer to; no schema here refers to itself. */
function inline(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(inline)
  if (typeof schema !== 'object' || schema === null) return schema
  const { $ref } = schema as { $ref?: string }
  if ($ref !== undefined) return inline(document.components.schemas[$ref.split('/').at(-1)!])
  return Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, inline(value)]))
}
