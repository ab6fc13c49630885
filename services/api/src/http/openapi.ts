/**
 * The OpenAPI 3.1 description, derived from the endpoints that are served: what is described is what runs.
 * A committed copy shows every change of the contract in review; a test fails where it is stale.
 */
import { problemCodes, type ProblemCode } from '@cupel/contracts'
import { z } from 'zod'
import { commonHeaderComponents, commonHeaderReferences } from './described-headers.js'
import type { Endpoint } from './endpoint.js'
import { PROBLEM_MEDIA_TYPE } from './problem.js'
import { problemExample, problemSchema } from './problem-schema.js'

export const API_VERSION = '1.0.0'

type Json = Record<string, unknown>

const tags = [
  { name: 'Screening', description: 'Screen addresses and read the reports.' },
  { name: 'Sharing', description: 'Let somebody without a key read one report.' },
  { name: 'Cases', description: 'What people write and decide about a report.' },
  { name: 'Bulk', description: 'Screen many addresses as one job.' },
  { name: 'Webhooks', description: 'Be told when a job ends.' },
  { name: 'Access', description: 'Calls made with the account’s keys.' },
  { name: 'Reference', description: 'Supported chains and this description.' },
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
      contact: { name: 'The operator of this installation' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'Where this document was fetched from.' }],
    security: [{ apiKey: [] }],
    tags,
    paths,
    components: {
      schemas: components.schemas,
      headers: {
        RequestId: REQUEST_ID_HEADER,
        RateLimitPolicy: RATE_LIMIT_POLICY_HEADER,
        RateLimit: RATE_LIMIT_HEADER,
        ...commonHeaderComponents,
      },
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An API key, `Authorization: Bearer cpl_live_…`, or the token of a session that a person began with one.',
        },
      },
    },
  }
}

const INTRODUCTION = `Screens cryptocurrency addresses and returns risk reports.

Every answer carries a \`Request-Id\` and the headers that keep browsers and caches from doing harm; over TLS \`Strict-Transport-Security\` is one of them. Every error is a problem document (RFC 9457) with a stable \`code\`. HEAD answers wherever GET does; OPTIONS names the methods of a path. Fields and enum values may be added within /v1; nothing is removed or renamed. A key has a bucket of calls: every answer to a valid key carries \`RateLimit-Policy\` and \`RateLimit\`, and 429 \`rate_limited\` a \`Retry-After\` after which a call succeeds. Unknown paths are 404, other methods 405 with \`Allow\`.`

const REQUEST_ID_HEADER = {
  description: 'Names this call in logs and in support.',
  required: true,
  schema: { type: 'string' },
}

const RATE_LIMIT_POLICY_HEADER = {
  description:
    'The limit of the key: `q` calls at once, `w` seconds for an empty bucket to fill (draft-ietf-httpapi-ratelimit-headers).',
  schema: { type: 'string' },
  example: '"pro";q=50;w=5',
}

const RATE_LIMIT_HEADER = {
  description: 'The state of the key: `r` calls left, `t` seconds until there is one more.',
  schema: { type: 'string' },
  example: '"pro";r=49;t=1',
}

/** Problems any endpoint of this kind can answer, whatever it does. */
export function frameProblems(endpoint: Endpoint): ProblemCode[] {
  // Any request can lack its Host header, and any handler can fail.
  const codes: ProblemCode[] = ['invalid_request', 'internal_error']
  if (endpoint.access === 'token') codes.push('https_required', 'too_many_failures', 'unavailable')
  else if (endpoint.access !== 'open') {
    codes.push('invalid_key', 'ip_not_allowed', 'https_required')
    codes.push('rate_limited', 'too_many_failures', 'unavailable')
    if (endpoint.idempotency !== undefined)
      codes.push('invalid_request', 'idempotency_in_progress', 'idempotency_mismatch')
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
    ...(hasIdempotency(endpoint) ? [IDEMPOTENCY_KEY_PARAMETER] : []),
  ]
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    ...(needsKey(endpoint) ? {} : { security: [] }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(endpoint.bodySchema === undefined ? {} : { requestBody: requestBodyOf(endpoint, components) }),
    responses: { ...successesOf(endpoint, components), ...problemsOf(endpoint, components) },
  }
}

function hasIdempotency(endpoint: Endpoint): boolean {
  return 'idempotency' in endpoint && endpoint.idempotency !== undefined
}

const needsKey = ({ access }: Endpoint): boolean => access !== 'open' && access !== 'token'

/** Headers any answer to an admitted call of this endpoint carries. */
function callHeadersOf(endpoint: Endpoint): Json {
  return needsKey(endpoint) ? { ...everywhere, ...rateLimitFields } : everywhere
}

function requestBodyOf(endpoint: Endpoint, components: Components): Json {
  const content = { schema: components.schemaOf(endpoint.bodySchema!), example: endpoint.bodyExample }
  return { required: true, content: { 'application/json': content } }
}

function successesOf(endpoint: Endpoint, components: Components): Json {
  const replayed = hasIdempotency(endpoint) ? { 'Idempotency-Replayed': REPLAYED_HEADER } : {}
  const described: Record<string, Json> = {}
  for (const answer of endpoint.answers) {
    const headers = Object.entries(answer.headers ?? {}).map(([name, header]) => [
      name,
      {
        description: header.description,
        ...(header.optional === true ? {} : { required: true }),
        schema: jsonSchema(header.schema),
        ...(header.example === undefined ? {} : { example: header.example }),
      },
    ])
    const content = {
      ...(answer.schema && { schema: components.schemaOf(answer.schema) }),
      ...(answer.example === undefined ? {} : { example: answer.example }),
    }
    // A success in several forms is one status with several media types.
    const before = described[String(answer.status)]?.['content'] as Json | undefined
    described[String(answer.status)] = {
      description: answer.description,
      headers: { ...callHeadersOf(endpoint), ...replayed, ...(Object.fromEntries(headers) as Json) },
      ...(answer.contentType === undefined ? {} : { content: { ...before, [answer.contentType]: content } }),
    }
  }
  return described
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
        // Without a valid key there is no bucket to tell of.
        status === 401 || !needsKey(endpoint) ? everywhere : callHeadersOf(endpoint),
        components,
      ),
    ]),
  )
}

function problemResponse(
  codes: readonly ProblemCode[],
  status: number,
  headers: Json,
  components: Components,
): Json {
  const examples = codes.map((code) => [
    code,
    { summary: problemCodes[code].title, value: problemExample(code) },
  ])
  return {
    description: codes.map((code) => `\`${code}\`: ${problemCodes[code].title}.`).join(' '),
    headers: {
      ...headers,
      ...statusHeaders[status],
      ...(codes.includes('screening_timeout') ? { Location: LATE_LOCATION_HEADER } : {}),
    },
    content: {
      [PROBLEM_MEDIA_TYPE]: {
        schema: components.schemaOf(problemSchema),
        examples: Object.fromEntries(examples) as Json,
      },
    },
  }
}

/** Headers of every answer, whoever gives it. */
const everywhere: Json = {
  'Request-Id': { $ref: '#/components/headers/RequestId' },
  ...commonHeaderReferences,
}

const rateLimitFields = {
  'RateLimit-Policy': { $ref: '#/components/headers/RateLimitPolicy' },
  RateLimit: { $ref: '#/components/headers/RateLimit' },
}

const IDEMPOTENCY_KEY_PARAMETER = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes the call safe to repeat, for 24 hours: every call with the same key, method, path and JSON gets the answer of the first one. Only successes are kept; after an error a repeat does the work.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]{1,255}$' },
}

const REPLAYED_HEADER = {
  description: '`true` where an earlier call with this Idempotency-Key made the result.',
  schema: { type: 'string', const: 'true' },
}

const retryAfter = {
  'Retry-After': {
    description: 'Seconds to wait before a retry.',
    schema: { type: 'integer', minimum: 0 },
  },
}

const LATE_LOCATION_HEADER = {
  description: 'With `screening_timeout`: path under which the report can be fetched later.',
  schema: { type: 'string' },
}

const statusHeaders: Readonly<Record<number, Json>> = {
  401: {
    'WWW-Authenticate': { description: 'How to authenticate.', required: true, schema: { type: 'string' } },
  },
  403: {
    'WWW-Authenticate': {
      description: 'With `scope_required`: the scope that the call needs.',
      schema: { type: 'string' },
    },
  },
  409: retryAfter,
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
