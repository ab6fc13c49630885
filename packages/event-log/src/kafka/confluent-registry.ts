/**
 * A client of a schema registry with the Confluent interface. It makes four calls over plain HTTP: the client library can neither
 * list the versions of a subject nor set its compatibility level before the first schema is registered.
 * Source: Confluent Schema Registry API reference, Subjects and Config.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { createSlots } from '@cupel/kit/concurrency'
import type { Agent } from 'undici'
import {
  IncompatibleSchemaError,
  type RegisteredSchema,
  type SchemaRegistry,
} from '../schemas/schema-registry.js'

export interface ConfluentRegistryOptions {
  /** Base of the interface, for example `http://127.0.0.1:8081` or Apicurio's `http://…/apis/ccompat/v7`. */
  readonly url: string
  /** HTTP basic, or a bearer token. */
  readonly auth?: { readonly username: string; readonly password: string } | { readonly token: string }
  /** The certificate authorities of the registry in PEM, instead of those of the system. */
  readonly ca?: string
}

const LEVEL = 'FULL_TRANSITIVE'
/** Subjects that are registered at the same time. */
const AT_ONCE = 4
const REQUEST_TIMEOUT_MS = 10_000
const ATTEMPTS = 4
const FIRST_PAUSE_MS = 250
const CONFLICT_ATTEMPTS = 3
const CONFLICT_PAUSE_MS = 100
const CONTENT_TYPE = 'application/vnd.schemaregistry.v1+json'

export function confluentRegistry(options: ConfluentRegistryOptions): SchemaRegistry {
  const call = registryClient(options)
  const agree = retryConflicts(call)
  const inTurn = createSlots(AT_ONCE)
  return {
    subjects: async () => (await call('GET', '/subjects')).require<string[]>('list its subjects'),
    versions: (subject) => versionsOf(subject),
    register: (schemas) =>
      Promise.all(
        schemas.map(({ subject, schema }) =>
          inTurn(async () => {
            const id = await register(subject, schema)
            return { subject, schema, id, versions: await versionsOf(subject, { id, schema }) }
          }),
        ),
      ),
  }

  async function register(subject: string, schema: string): Promise<number> {
    // Some registries set a level only for an existing subject: there it is set directly after the first schema.
    const kept = await setLevel(subject)
    const answer = await agree('POST', `/subjects/${encodeURIComponent(subject)}/versions`, { schema })
    if (answer.status === 409)
      throw new IncompatibleSchemaError(
        subject,
        `The schema of ${subject} cannot be read together with an earlier version of it (${LEVEL}): ${answer.message}`,
      )
    const { id } = answer.require<{ id: number }>(`register the schema of ${subject}`)
    if (!kept) (await callLevel(subject)).require(`set the level of ${subject}`)
    return id
  }

  /** `registered`: what is known to be a version. If the subject has no other one, its text is not read again. */
  async function versionsOf(
    subject: string,
    registered?: Pick<RegisteredSchema, 'id' | 'schema'>,
  ): Promise<RegisteredSchema[]> {
    const path = `/subjects/${encodeURIComponent(subject)}/versions`
    const answer = await call('GET', path)
    if (answer.status === 404) return []
    const numbers = answer.require<number[]>(`list the versions of ${subject}`)
    if (registered !== undefined && numbers.length === 1) return [{ ...registered, version: numbers[0]! }]
    const versions: RegisteredSchema[] = []
    for (const version of [...numbers].sort((one, other) => one - other)) {
      const found = await call('GET', `${path}/${version}`)
      const { id, schema } = found.require<{ id: number; schema: string }>(
        `read version ${version} of ${subject}`,
      )
      versions.push({ id, version, schema })
    }
    return versions
  }

  /** False if the subject does not exist yet. */
  async function setLevel(subject: string): Promise<boolean> {
    const answer = await callLevel(subject)
    if (answer.status === 404) return false
    answer.require(`set the level of ${subject}`)
    return true
  }

  function callLevel(subject: string): Promise<Answer> {
    return agree('PUT', `/config/${encodeURIComponent(subject)}`, { compatibility: LEVEL })
  }
}

type RegistryCall = (method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown) => Promise<Answer>

/** If two installations write one subject at the same moment, the registry may refuse one of them, and accepts its repetition. */
function retryConflicts(call: RegistryCall): RegistryCall {
  return async (method, path, body) => {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await call(method, path, body)
      if (answer.status !== 409 || attempt === CONFLICT_ATTEMPTS) return answer
      await sleep(CONFLICT_PAUSE_MS)
    }
  }
}

/** Retries a call that got no answer or a 5xx: every call to the registry can be repeated. */
function registryClient(options: ConfluentRegistryOptions): RegistryCall {
  const { ca } = options
  let dispatcher: Agent | undefined
  const base = options.url.replace(/\/+$/, '')
  return async (method, path, body) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const answer = await callOnce(method, path, body)
        if (answer.status < 500 || attempt === ATTEMPTS) return answer
      } catch (error) {
        if (attempt === ATTEMPTS)
          throw new Error(`The schema registry at ${base} cannot be reached: ${reasonOf(error)}`, {
            cause: error,
          })
      }
      await sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1))
    }
  }

  async function callOnce(method: string, path: string, body: unknown): Promise<Answer> {
    const { Agent, fetch } = await import('./undici-fetch.js')
    if (ca !== undefined) dispatcher ??= new Agent({ connect: { ca } })
    const response = await fetch(base + path, {
      ...(dispatcher === undefined ? {} : { dispatcher }),
      method,
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      headers: {
        accept: CONTENT_TYPE,
        ...(body === undefined ? {} : { 'content-type': CONTENT_TYPE }),
        ...(options.auth === undefined ? {} : { authorization: authorizationOf(options.auth) }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return answerOf(response.status, await response.text(), base)
  }
}
interface Answer {
  readonly status: number
  readonly message: string
  /** The body of a success; throws one sentence for any other answer. */
  require<T>(purpose: string): T
}

function answerOf(status: number, text: string, base: string): Answer {
  const body = parsed(text)
  const message =
    typeof body === 'object' && body !== null && 'message' in body ? String(body.message) : text.slice(0, 500)
  return {
    status,
    message,
    require<T>(purpose: string): T {
      if (status >= 200 && status < 300 && body !== undefined) return body as T
      throw new Error(`The schema registry at ${base} did not ${purpose}: ${status} ${message}`)
    },
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // For example the answer of a proxy: its status and the beginning of its text go into the error.
    return undefined
  }
}

function authorizationOf(auth: NonNullable<ConfluentRegistryOptions['auth']>): string {
  if ('token' in auth) return `Bearer ${auth.token}`
  return `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString('base64')}`
}

/** The message of `fetch` is only "fetch failed"; the reason is in its cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message : error.message
}
