/**
 * The OpenAPI 3.1 description, derived from the endpoints that are served, so that it describes what runs.
 * A committed copy shows every change of the contract in review; a test fails where it is stale.
 */
import { problemCodes, type ProblemCode } from '@cupel/contracts'
import { scopes } from '@cupel/domain'
import type { z } from 'zod'
import { commonHeaderComponents, commonHeaderReferences } from './described-headers.js'
import type { Endpoint } from './endpoint.js'
import { createComponents, jsonSchema, type Components } from './openapi-components.js'
import { tags } from './tags.js'

export const API_VERSION = '1.0.0'

type Json = Record<string, unknown>

export function describeApi(
  endpoints: readonly Endpoint[],
  webhooks: readonly DescribedMessage[] = [],
): Json {
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
    tags: Object.entries({
      ...tags,
      [MESSAGES]:
        'The messages that the webhook endpoints of an account receive. Messages are signed as Standard Webhooks require.',
    }).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: Object.fromEntries(webhooks.map((one) => [one.type, { post: messageOf(one, components) }])),
    components: {
      schemas: components.schemas,
      responses: components.responses,
      parameters: { IdempotencyKey: IDEMPOTENCY_KEY_PARAMETER },
      examples: components.examples,
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

Every answer carries a \`Request-Id\` and the headers that keep browsers and caches from doing harm; over TLS \`Strict-Transport-Security\` is one of them. Every error is a problem document (RFC 9457) with a stable \`code\`. HEAD answers wherever GET does; OPTIONS names the methods of a path. Unknown parameters and unknown fields are 400. Fields and enum values may be added within /v1; nothing is removed or renamed. A key has a bucket of calls: every answer to a valid key carries \`RateLimit-Policy\` and \`RateLimit\`, and 429 \`rate_limited\` a \`Retry-After\` after which a call succeeds. Unknown paths are 404, other methods 405 with \`Allow\`; with a key they are counted and recorded like every call.`

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
  // Any request can lack its Host header, stop halfway or have an endless head, and any handler can fail.
  const codes: ProblemCode[] = ['invalid_request', 'request_timeout', 'head_too_large', 'internal_error']
  if (endpoint.access === 'token') codes.push('https_required', 'too_many_failures', 'unavailable')
  else if (endpoint.access === 'person') {
    codes.push('sign_in_refused', 'ip_not_allowed', 'https_required')
    codes.push('rate_limited', 'too_many_failures', 'unavailable')
  } else if (endpoint.access !== 'open') {
    codes.push('invalid_key', 'ip_not_allowed', 'https_required')
    codes.push('rate_limited', 'too_many_failures', 'unavailable')
    if (endpoint.idempotency !== undefined) codes.push('idempotency_in_progress', 'idempotency_mismatch')
    if (endpoint.access !== 'read-only') codes.push('scope_required')
  }
  if (endpoint.bodySchema !== undefined) codes.push('payload_too_large', 'unsupported_media_type')
  if (endpoint.pathSchema !== undefined) codes.push('not_found')
  return codes
}

function operationOf(endpoint: Endpoint, components: Components): Json {
  const { operationId, tag, summary, description } = endpoint
  const parameters = [
    ...parametersOf('path', endpoint.pathSchema),
    ...parametersOf('query', endpoint.querySchema),
    ...(hasIdempotency(endpoint) ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ...Object.entries(endpoint.headers ?? {}).map(([name, { description, schema, example }]) => ({
      ...{ name, in: 'header', required: false, description, schema: jsonSchema(schema), example },
    })),
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

/** Generators write a file for each tag: messages and operations of one tag would overwrite each other. */
const MESSAGES = 'Webhook messages'

/** A message that the service sends to its callers. */
export interface DescribedMessage {
  readonly type: string
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly schema: z.ZodType
  readonly example: object
}

function messageOf(
  { operationId, summary, description, schema, example }: DescribedMessage,
  components: Components,
): Json {
  return {
    ...{ operationId, tags: [MESSAGES], summary, description, security: [] },
    parameters: Object.entries(WEBHOOK_HEADERS).map(([name, meaning]) => ({
      ...{ name, in: 'header', required: true, description: meaning, schema: { type: 'string' } },
    })),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: components.schemaOf(schema), example } },
    },
    responses: {
      '2XX': { description: 'The message was taken. Any other status is retried for three days.' },
      '410': { description: 'No message is wanted any more: the endpoint is disabled.' },
    },
  }
}

/** Standard Webhooks 1.0. */
const WEBHOOK_HEADERS = {
  'webhook-id': 'Equal for all attempts of one delivery: keep the ids that you have seen, and skip repeats.',
  'webhook-timestamp': 'When this attempt was signed; seconds since 1970.',
  'webhook-signature':
    'One or two signatures of id, timestamp and body, as Standard Webhooks has them: `v1,…`.',
}

function hasIdempotency(endpoint: Endpoint): boolean {
  return 'idempotency' in endpoint && endpoint.idempotency !== undefined
}

const needsKey = ({ access }: Endpoint): boolean => (scopes as readonly string[]).includes(access)

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
    statuses.map((status) => {
      const ofStatus = listed.filter((code) => codes.includes(code) && problemCodes[code].status === status)
      // Without a valid key there is no bucket to report.
      const hasBucket = needsKey(endpoint) && !WITHOUT_BUCKET.has(status)
      const suffix = needsKey(endpoint) || WITHOUT_BUCKET.has(status) ? '' : 'WithoutKey'
      const headers = {
        ...(hasBucket ? { ...everywhere, ...rateLimitFields } : everywhere),
        ...statusHeaders[status],
        ...(ofStatus.includes('screening_timeout') ? { Location: LATE_LOCATION_HEADER } : {}),
      }
      return [String(status), components.problemOf({ codes: ofStatus, headers, suffix })]
    }),
  )
}

/** Codes in the order of the list, so that equal answers have equal names. */
const listed = Object.keys(problemCodes) as ProblemCode[]
/** Answers without a valid key, or below the router. */
const WITHOUT_BUCKET: ReadonlySet<number> = new Set([401, 408, 431])

/** Headers of every answer, whichever part sends it. */
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

const RETRY_AFTER_HEADER = {
  description: 'Seconds to wait before a retry.',
  schema: { type: 'integer', minimum: 0 },
}
const mayRetry = { 'Retry-After': RETRY_AFTER_HEADER }
const mustRetry = { 'Retry-After': { ...RETRY_AFTER_HEADER, required: true } }

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
  409: mayRetry,
  429: mustRetry,
  503: mustRetry,
}

function parametersOf(place: 'path' | 'query', schema: z.ZodType | null | undefined): Json[] {
  if (schema === undefined || schema === null) return []
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
