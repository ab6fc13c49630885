/**
 * The OpenAPI 3.1 description, derived from the endpoints that are served: what is described is what runs.
 * A committed copy shows every change of the contract in review; a test fails where it is stale.
 */
import { problemCodes, type ProblemCode } from '@cupel/contracts'
import { z } from 'zod'
import type { DescribedAnswer, Endpoint } from './endpoint.js'
import { PROBLEM_MEDIA_TYPE } from './problem.js'
import { problemExample, problemSchema } from './problem-schema.js'

export const API_VERSION = '1.0.0'

type Json = Record<string, unknown>

const tags = [
  { name: 'Screening', description: 'Screen addresses and read the reports.' },
  { name: 'Reference', description: 'What the service knows and speaks.' },
  { name: 'Operation', description: 'For those who run it.' },
]

export function describeApi(endpoints: readonly Endpoint[]): Json {
  const components = createComponents()
  const paths: Record<string, Json> = {}
  for (const endpoint of endpoints)
    (paths[endpoint.path] ??= {})[endpoint.method.toLowerCase()] = operationOf(endpoint, components)
  return {
    openapi: '3.1.1',
    info: {
      title: 'Cupel',
      version: API_VERSION,
      summary: 'Wallet risk screening',
      description: INTRODUCTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'Where this document was fetched from.' }],
    security: [{ apiKey: [] }],
    tags,
    paths,
    components: {
      schemas: components.schemas,
      headers: { RequestId: REQUEST_ID_HEADER },
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key: `Authorization: Bearer cpl_live_…`.',
        },
      },
    },
  }
}

const INTRODUCTION = `Screens cryptocurrency addresses and returns risk reports.

Every answer carries a \`Request-Id\`. Every error is a problem document (RFC 9457) with a stable \`code\`. HEAD answers wherever GET does; OPTIONS names the methods of a path. Fields and enum values may be added within /v1; nothing is removed or renamed. Unknown paths are 404, other methods 405 with \`Allow\`.`

const REQUEST_ID_HEADER = {
  description: 'Names this call in logs and in support.',
  schema: { type: 'string' },
}

/** Problems any endpoint of this kind can answer, whatever it does. */
export function frameProblems(endpoint: Endpoint): ProblemCode[] {
  const codes: ProblemCode[] = []
  if (endpoint.access !== 'open') {
    codes.push('invalid_key', 'ip_not_allowed', 'https_required', 'unavailable', 'internal_error')
    if (endpoint.access === 'read-write') codes.push('scope_required')
  }
  if (endpoint.bodySchema !== undefined)
    codes.push('invalid_request', 'payload_too_large', 'unsupported_media_type')
  if (endpoint.querySchema !== undefined) codes.push('invalid_request')
  if (endpoint.pathSchema !== undefined) codes.push('not_found')
  return codes
}

function operationOf(endpoint: Endpoint, components: Components): Json {
  const { operationId, tag, summary, description } = endpoint
  const parameters = [
    ...parametersOf('path', endpoint.pathSchema),
    ...parametersOf('query', endpoint.querySchema),
  ]
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    ...(endpoint.access === 'open' ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(endpoint.bodySchema === undefined ? {} : { requestBody: requestBodyOf(endpoint, components) }),
    responses: { ...successesOf(endpoint.answers, components), ...problemsOf(endpoint, components) },
  }
}

function requestBodyOf(endpoint: Endpoint, components: Components): Json {
  const content = { schema: components.schemaOf(endpoint.bodySchema!), example: endpoint.bodyExample }
  return { required: true, content: { 'application/json': content } }
}

function successesOf(answers: readonly DescribedAnswer[], components: Components): Json {
  return Object.fromEntries(
    answers.map((answer) => {
      const headers = Object.entries(answer.headers ?? {}).map(([name, header]) => [
        name,
        { description: header.description, required: true, schema: jsonSchema(header.schema) },
      ])
      const content = {
        ...(answer.schema && { schema: components.schemaOf(answer.schema) }),
        example: answer.example,
      }
      return [
        String(answer.status),
        {
          description: answer.description,
          headers: { ...requestIdHeader, ...(Object.fromEntries(headers) as Json) },
          ...(answer.contentType === undefined ? {} : { content: { [answer.contentType]: content } }),
        },
      ]
    }),
  )
}

function problemsOf(endpoint: Endpoint, components: Components): Json {
  const codes = [...new Set([...frameProblems(endpoint), ...endpoint.problems])]
  const statuses = [...new Set(codes.map((code) => problemCodes[code].status))].sort((a, b) => a - b)
  return Object.fromEntries(
    statuses.map((status) => [
      String(status),
      problemResponse(
        codes.filter((code) => problemCodes[code].status === status),
        status,
        components,
      ),
    ]),
  )
}

function problemResponse(codes: readonly ProblemCode[], status: number, components: Components): Json {
  const examples = codes.map((code) => [
    code,
    { summary: problemCodes[code].title, value: problemExample(code) },
  ])
  return {
    description: codes.map((code) => `\`${code}\`: ${problemCodes[code].title}.`).join(' '),
    headers: { ...requestIdHeader, ...statusHeaders[status] },
    content: {
      [PROBLEM_MEDIA_TYPE]: {
        schema: components.schemaOf(problemSchema),
        examples: Object.fromEntries(examples) as Json,
      },
    },
  }
}

const requestIdHeader = { 'Request-Id': { $ref: '#/components/headers/RequestId' } }

const retryAfter = {
  'Retry-After': {
    description: 'Seconds after which trying again makes sense.',
    schema: { type: 'integer', minimum: 0 },
  },
}

const statusHeaders: Readonly<Record<number, Json>> = {
  401: {
    'WWW-Authenticate': { description: 'How to authenticate.', required: true, schema: { type: 'string' } },
  },
  429: retryAfter,
  503: retryAfter,
}

function parametersOf(place: 'path' | 'query', schema: z.ZodType | undefined): Json[] {
  if (schema === undefined) return []
  const { properties = {}, required = [] } = jsonSchema(schema) as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: rest,
  }))
}

interface Components {
  readonly schemas: Record<string, Json>
  /** A reference to the component where the schema has an id, else the schema itself. */
  schemaOf(schema: z.ZodType): Json
}

/** Schemas with an id become components, wherever they turn up; the others stay where they are. */
function createComponents(): Components {
  const schemas: Record<string, Json> = {}
  const hoist = (json: Json): Json => {
    const text = JSON.stringify(json).replaceAll('"#/$defs/', '"#/components/schemas/')
    const { $defs = {}, ...rest } = JSON.parse(text) as Json & { $defs?: Record<string, Json> }
    for (const [id, definition] of Object.entries($defs)) schemas[id] = withoutId(definition)
    return rest
  }
  return {
    schemas,
    schemaOf(schema) {
      const json = hoist(jsonSchema(schema))
      const id = schema.meta()?.id
      if (id === undefined) return json
      // A schema that its own definition refers to was hoisted already.
      if (!('$ref' in json)) schemas[id] = withoutId(json)
      return { $ref: `#/components/schemas/${id}` }
    },
  }
}

function withoutId(json: Json): Json {
  return Object.fromEntries(Object.entries(json).filter(([name]) => name !== 'id' && name !== '$id'))
}

/**
 * Input form: what is sent may lack optional members, and what is returned may gain members (an open schema). A schema
 * whose text form differs from what it means, as a number in a query does, says with `override` how it is described.
 */
function jsonSchema(schema: z.ZodType): Json {
  const json = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io: 'input',
    unrepresentable: 'any',
    override({ jsonSchema: node }) {
      const { override } = node as { override?: Json }
      if (override === undefined) return
      const { description } = node
      for (const name of Object.keys(node)) delete (node as Json)[name]
      Object.assign(node, override, description === undefined ? {} : { description })
    },
  }) as Json
  // The document as a whole names the dialect.
  delete json['$schema']
  return json
}
