/** One hostile request, and the context from which it is drawn. */
import type { Random } from '../random.js'
import type { RawRequest } from './raw-http.js'
import type { Target } from './target.js'

export interface Abuse extends RawRequest {
  /** The kind, and the drawn values. */
  readonly name: string
  /** `refused`: any success is wrong. `any`: a success must be correct. */
  readonly expected: 'refused' | 'any'
  /** The bytes are not a whole request: the connection may end without an answer. */
  readonly mayBeDropped?: boolean
}

export interface AbuseContext {
  readonly random: Random
  readonly host: string
  readonly target: Target
  /** Path templates and their methods, as the installation describes them. */
  readonly operations: readonly Operation[]
  readonly own: OwnThings
}

/** What the attacker has for calls that must get beyond the key and the path. */
export interface OwnThings {
  /** Of the scope admin. */
  readonly adminKey: string
  readonly reportId: string
}

export interface Operation {
  readonly method: string
  /** Contains `{name}` for a parameter. */
  readonly path: string
  /** Of its body in JSON; undefined without one. */
  readonly example: Readonly<Record<string, unknown>> | undefined
}

export type AbuseKind = (context: AbuseContext) => Abuse

/** The members of a request with the attacker's key. */
export function authorized(
  { host, target }: AbuseContext,
  rest: { headers?: readonly string[]; body?: string } = {},
) {
  return { host, key: target.attacker.key, ...rest }
}
