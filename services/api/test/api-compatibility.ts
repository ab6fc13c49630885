/**
 * Finds changes of the API description that break existing clients. Within /v1 only additions are allowed (docs/adr/0095):
 * requests that were accepted stay accepted, and answers keep the parts that clients rely on.
 */

import { inlineReferences } from '@cupel/gate/http'

type Json = Readonly<Record<string, unknown>>

/** Returns one sentence for each way in which `next` breaks a client of `released`; empty if there is none. */
export function breakingChanges(released: Json, next: Json): string[] {
  const breaks: string[] = []
  const [before, after] = [released, next].map((one) => inlineReferences(one, NOT_SCHEMAS)) as [Json, Json]
  const resolve = { released: resolverOf(released), next: resolverOf(next) }
  for (const [path, methods] of entries(before['paths'])) {
    for (const [method, operation] of entries(methods)) {
      const at = `${method.toUpperCase()} ${path}`
      const now = member(member(after['paths'], path), method)
      if (now === undefined) breaks.push(`${at} is gone`)
      else compareOperations(at, operation as Json, now as Json, resolve, breaks)
    }
  }
  return breaks
}

const NOT_SCHEMAS = ['responses', 'parameters', 'examples', 'headers']

interface Resolvers {
  readonly released: Resolver
  readonly next: Resolver
}
type Resolver = (schema: unknown) => Json

function compareOperations(
  at: string,
  before: Json,
  after: Json,
  resolve: Resolvers,
  breaks: string[],
): void {
  if (before['operationId'] !== after['operationId']) breaks.push(`${at}: operationId is another`)
  if (isOpen(before) && !isOpen(after)) breaks.push(`${at} needs a key`)
  compareParameters(at, before, after, resolve, breaks)
  compareBodies(at, before, after, resolve, breaks)
  for (const [status, response] of entries(before['responses'])) {
    const now = member(after['responses'], status)
    const where = `${at} ${status}`
    if (now === undefined) breaks.push(`${where} is gone`)
    else compareResponses(where, response as Json, now as Json, resolve, breaks)
  }
}

function isOpen(operation: Json): boolean {
  return Array.isArray(operation['security']) && operation['security'].length === 0
}

function compareParameters(
  at: string,
  before: Json,
  after: Json,
  resolve: Resolvers,
  breaks: string[],
): void {
  const known = parametersOf(before)
  const now = parametersOf(after)
  for (const [name, parameter] of known) {
    const same = now.get(name)
    if (same === undefined) breaks.push(`${at}: ${name} is gone`)
    else {
      if (same['required'] === true && parameter['required'] !== true)
        breaks.push(`${at}: ${name} is required`)
      compareSchemas(`${at}: ${name}`, parameter['schema'], same['schema'], 'sent', resolve, breaks)
    }
  }
  for (const [name, parameter] of now)
    if (!known.has(name) && parameter['required'] === true) breaks.push(`${at}: ${name} is new and required`)
}

function parametersOf(operation: Json): Map<string, Json> {
  const parameters = (operation['parameters'] ?? []) as Json[]
  return new Map(parameters.map((one) => [`${String(one['in'])} parameter ${String(one['name'])}`, one]))
}

function compareBodies(at: string, before: Json, after: Json, resolve: Resolvers, breaks: string[]): void {
  const [known, now] = [before['requestBody'] as Json | undefined, after['requestBody'] as Json | undefined]
  if (known === undefined) {
    if (now?.['required'] === true) breaks.push(`${at}: a body is required`)
    return
  }
  for (const [type, media] of entries(known['content'])) {
    const same = member(now?.['content'], type)
    if (same === undefined) breaks.push(`${at}: a body of ${type} is not taken`)
    else
      compareSchemas(`${at}: body`, member(media, 'schema'), member(same, 'schema'), 'sent', resolve, breaks)
  }
}

function compareResponses(at: string, before: Json, after: Json, resolve: Resolvers, breaks: string[]): void {
  for (const [name] of entries(before['headers']))
    if (member(after['headers'], name) === undefined) breaks.push(`${at}: header ${name} is gone`)
  for (const [type, media] of entries(before['content'])) {
    const same = member(after['content'], type)
    if (same === undefined) {
      breaks.push(`${at}: ${type} is gone`)
      continue
    }
    compareSchemas(
      `${at}: body`,
      member(media, 'schema'),
      member(same, 'schema'),
      'returned',
      resolve,
      breaks,
    )
    // A problem response has one example for each code that it can carry.
    for (const [code] of entries(member(media, 'examples')))
      if (member(member(same, 'examples'), code) === undefined) breaks.push(`${at}: code ${code} is gone`)
  }
}

/** `sent`: accepted requests stay accepted. `returned`: promised answers stay promised. */
type Direction = 'sent' | 'returned'

function compareSchemas(
  at: string,
  beforeOrRef: unknown,
  afterOrRef: unknown,
  direction: Direction,
  resolve: Resolvers,
  breaks: string[],
): void {
  if (beforeOrRef === undefined || afterOrRef === undefined) {
    if (beforeOrRef !== afterOrRef) breaks.push(`${at}: its schema came or went`)
    return
  }
  const before = resolve.released(beforeOrRef)
  const after = resolve.next(afterOrRef)
  compareTypes(at, before, after, direction, breaks)
  compareBounds(at, before, after, direction, breaks)
  const required = { before: namesIn(before['required']), after: namesIn(after['required']) }
  const properties = entries(before['properties'])
  for (const [name, property] of properties) {
    const same = member(after['properties'], name)
    if (same === undefined) breaks.push(`${at}/${name} is gone`)
    else compareSchemas(`${at}/${name}`, property, same, direction, resolve, breaks)
    if (direction === 'returned' && required.before.has(name) && !required.after.has(name))
      breaks.push(`${at}/${name} may be absent`)
  }
  if (direction === 'sent')
    for (const name of required.after)
      if (!required.before.has(name)) breaks.push(`${at}/${name} is required`)
  if (
    direction === 'sent' &&
    after['additionalProperties'] === false &&
    before['additionalProperties'] !== false
  )
    if (before['properties'] !== undefined) breaks.push(`${at}: unknown members are refused`)
  if (before['items'] !== undefined)
    compareSchemas(`${at}[]`, before['items'], after['items'], direction, resolve, breaks)
}

/** An answer may narrow its types, a request must not. Enums of answers may grow, as the document says. */
function compareTypes(at: string, before: Json, after: Json, direction: Direction, breaks: string[]): void {
  const [known, now] = [typesOf(before), typesOf(after)]
  const [must, may] = direction === 'sent' ? [known, now] : [now, known]
  if (may.size > 0 && ![...must].every((type) => may.has(type) || (type === 'integer' && may.has('number'))))
    breaks.push(`${at}: type ${[...known].join('|')} became ${[...now].join('|')}`)
  if (must.size === 0 && may.size > 0) breaks.push(`${at}: any type became ${[...may].join('|')}`)
  const [values, nowValues] = [
    before['enum'] as unknown[] | undefined,
    after['enum'] as unknown[] | undefined,
  ]
  if (direction === 'sent' && nowValues !== undefined)
    for (const value of values ?? ['values of any kind'])
      if (!nowValues.includes(value)) breaks.push(`${at}: ${String(value)} is not taken`)
  if (direction === 'sent' && before['pattern'] !== after['pattern'] && after['pattern'] !== undefined)
    breaks.push(`${at}: pattern is another`)
  if (before['format'] !== after['format'] && (direction === 'returned' || after['format'] !== undefined))
    breaks.push(`${at}: format is another`)
}

function typesOf(schema: Json): ReadonlySet<unknown> {
  const type = schema['type']
  if (type !== undefined) return new Set([type].flat())
  const parts = (schema['anyOf'] ?? schema['oneOf']) as Json[] | undefined
  if (parts !== undefined) return new Set(parts.flatMap((part) => [...typesOf(part)]))
  return new Set()
}

const LOWER = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']
const UPPER = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']

function compareBounds(at: string, before: Json, after: Json, direction: Direction, breaks: string[]): void {
  // Limits of a request may only loosen, limits of an answer may only tighten.
  const sign = direction === 'sent' ? 1 : -1
  const judge = (name: string, unbounded: number, widens: 1 | -1): void => {
    const known = (before[name] as number | undefined) ?? unbounded
    const now = (after[name] as number | undefined) ?? unbounded
    if (known !== now && Math.sign(now - known) !== sign * widens)
      breaks.push(`${at}: ${name} went from ${known} to ${now}`)
  }
  for (const name of LOWER) judge(name, -Infinity, -1)
  for (const name of UPPER) judge(name, Infinity, 1)
}

/** Follows a reference, and merges the branches of `T or null` into one schema. */
function resolverOf(document: Json): Resolver {
  const resolve: Resolver = (schema) => {
    const json = schema as Json
    const reference = json['$ref']
    if (typeof reference === 'string')
      return resolve(
        reference
          .slice(2)
          .split('/')
          .reduce<unknown>((at, step) => member(at, step), document),
      )
    const branches = (json['anyOf'] ?? json['oneOf']) as unknown[] | undefined
    if (branches === undefined) return json
    const resolved = branches.map(resolve)
    const types = resolved.flatMap((branch) => [...typesOf(branch)])
    return { ...Object.assign({}, ...resolved), type: types } as Json
  }
  return resolve
}

function namesIn(names: unknown): ReadonlySet<string> {
  return new Set((names ?? []) as string[])
}

function entries(object: unknown): [string, unknown][] {
  return Object.entries((object ?? {}) as Json)
}

function member(object: unknown, name: string): unknown {
  if (typeof object !== 'object' || object === null) return undefined
  return Object.hasOwn(object, name) ? (object as Json)[name] : undefined
}
