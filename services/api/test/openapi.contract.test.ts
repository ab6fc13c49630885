/** The description is the contract: it is complete, its examples are valid, and a review sees every change of it. */
import { readFileSync } from 'node:fs'
import { problemCodes, reportSchema, type ProblemCode } from '@cupel/contracts'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { problemSchema, inlineReferences } from '@cupel/gate/http'
import { openapiDocument, describedEndpoints } from '../src/openapi-document.js'

interface Response {
  headers: Record<string, unknown>
  content?: Record<
    string,
    { schema: object; example?: unknown; examples?: Record<string, { value: unknown }> }
  >
}
interface Operation {
  operationId: string
  security?: unknown[]
  requestBody?: unknown
  responses: Record<string, Response>
}
const written = JSON.parse(openapiDocument()) as { components: Record<string, Record<string, unknown>> }
const document = inlineReferences(written, ['responses', 'parameters', 'examples']) as unknown as {
  openapi: string
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, z.core.JSONSchema.JSONSchema> }
}
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)
const responses = operations.flatMap(({ operation }) =>
  Object.entries(operation.responses).map(([status, response]) => ({
    operation,
    status: Number(status),
    response,
  })),
)

test('the committed copy is the one that is served', () => {
  const committed = readFileSync(new URL('../../../docs/reference/openapi.json', import.meta.url), 'utf8')
  expect(committed === openapiDocument(), 'docs/reference/openapi.json is stale: npm run generate').toBe(true)
})

test('operations have names of their own, and every reference leads somewhere', () => {
  const names = operations.map(({ operation }) => operation.operationId)
  expect(new Set(names).size).toBe(names.length)
  for (const [, reference] of openapiDocument().matchAll(/"#\/([^"]+)"/g)) {
    const target = reference!
      .split('/')
      .reduce<unknown>((at, step) => (at as Record<string, unknown>)?.[step], written)
    expect(target, reference).toBeDefined()
    expect(target, `${reference} refers to itself`).not.toEqual({ $ref: `#/${reference}` })
  }
})

test('every answer carries a request id, every call that needs a key may be told so', () => {
  for (const { response } of responses) expect(response.headers).toHaveProperty('Request-Id')
  for (const { operation } of operations) {
    const statuses = Object.keys(operation.responses)
    const isOpen = operation.security?.length === 0
    expect(statuses.includes('401')).toBe(!isOpen)
    if (!isOpen) expect(statuses).toEqual(expect.arrayContaining(['403', '500', '503']))
    if (operation.requestBody !== undefined)
      expect(statuses).toEqual(expect.arrayContaining(['400', '413', '415']))
  }
})

/** Returns every object of the document with its path; leaves out the values of examples. */
const places = (value: unknown, path = ''): [string, Record<string, unknown>][] => {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.entries(value).flatMap(([name, member]) =>
    /^examples?$/.test(name) ? [] : places(member, `${path}/${name}`),
  )
  return [[path, value as Record<string, unknown>], ...inner]
}

test('every object has a name, by which programs made from the description call it', () => {
  const isNamed = (path: string) => /^\/components\/schemas\/[A-Z][A-Za-z]+$/.test(path)
  const objects = places(written).filter(([, { properties }]) => typeof properties === 'object')
  // A member may itself have the name "properties".
  const schemas = objects.filter(
    // The parts of a policy have no meaning by themselves.
    ([path]) => !path.endsWith('/properties') && !path.startsWith('/components/schemas/PolicyDocument/'),
  )
  expect(schemas.length).toBeGreaterThan(30)
  expect(schemas.map(([path]) => path).filter((path) => !isNamed(path))).toEqual([])
})

test('operations read as methods of the object that their tag names, and nothing is an extension', () => {
  const verbAndNoun = /^[a-z]+(?:[A-Z][a-z]+)+$/
  for (const { operation } of operations) expect(operation.operationId).toMatch(verbAndNoun)
  for (const [path, value] of places(written))
    for (const name of Object.keys(value))
      if (!/\/(?:headers|paths|content)$/.test(path)) expect(`${path}/${name}`).not.toMatch(/\/x-[^/]*$/i)
})

test('every body, and every success with one, has an example', () => {
  for (const { path, method, operation } of operations) {
    const bodies = [operation.requestBody as Response | undefined, ...successesOf(operation)]
    for (const content of bodies.flatMap((one) => Object.entries(one?.content ?? {})))
      if (content[0] !== 'application/pdf') expect(content[1], `${method} ${path}`).toHaveProperty('example')
  }
})

function successesOf({ responses }: Operation): Response[] {
  return Object.entries(responses).flatMap(([status, response]) => (Number(status) < 300 ? [response] : []))
}

test('a body of bytes says so, so that programs made from the description keep its bytes', () => {
  const isText = (type: string): boolean => /^text\/|json$|jsonl$|ndjson$/.test(type)
  const binary = operations.flatMap(({ operation }) =>
    successesOf(operation).flatMap(({ content = {} }) =>
      Object.entries(content).filter(([type]) => !isText(type)),
    ),
  )
  expect(binary.length).toBeGreaterThan(0)
  for (const [type, { schema }] of binary)
    expect(schema, type).toMatchObject({ type: 'string', format: 'binary' })
})

test('errors are problem documents, with an example for each code', () => {
  for (const { status, response } of responses.filter(({ status }) => status >= 400)) {
    expect(Object.keys(response.content!)).toEqual(['application/problem+json'])
    const { examples } = response.content!['application/problem+json']!
    expect(Object.keys(examples!).length).toBeGreaterThan(0)
    for (const [code, { value }] of Object.entries(examples!)) {
      const problem = problemSchema.strict().parse(value)
      expect(problem).toMatchObject({ code, status })
      expect(problemCodes[code as ProblemCode].status).toBe(status)
    }
  }
})

test('examples of successes fit their schemas', () => {
  const successes = responses.filter(({ status }) => status < 300)
  expect(new Set(successes.map(({ operation }) => operation.operationId)).size).toBe(operations.length)
  for (const { operation, response } of successes) {
    const [content] = Object.values(response.content ?? {})
    // A 204 has no body.
    if (content === undefined) continue
    const schema = z.fromJSONSchema(inline(content.schema) as z.core.JSONSchema.JSONSchema)
    expect(schema.safeParse(content.example).error, operation.operationId).toBeUndefined()
    expect(schema.safeParse(7).success, operation.operationId).toBe(false)
  }
  reportSchema.parse(
    document.paths['/v1/screen']!['post']!.responses['200']!.content!['application/json']!.example,
  )
})

/** Replaces the references of the schema by their targets; no schema here refers to itself. */
function inline(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(inline)
  if (typeof schema !== 'object' || schema === null) return schema
  const { $ref } = schema as { $ref?: string }
  if ($ref !== undefined) return inline(document.components.schemas[$ref.split('/').at(-1)!])
  return Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, inline(value)]))
}

test('each call about keys takes the scope admin, and each about accounts the scope operator', () => {
  const endpoints = describedEndpoints()
  const accessTo = (name: RegExp): string[] =>
    endpoints.filter(({ path }) => name.test(path)).map(({ access }) => access)
  const ofKeys = accessTo(/\/(?:keys?|api[-_]keys?)(?:\/|$)/)
  const ofAccounts = accessTo(/\/accounts?(?:\/|$)/)
  expect(ofKeys.length).toBeGreaterThan(0)
  expect([...new Set(ofKeys)]).toEqual(['admin'])
  expect(ofAccounts.length).toBeGreaterThan(0)
  expect([...new Set(ofAccounts)]).toEqual(['operator'])
})
