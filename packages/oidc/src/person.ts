/** Who a verified ID token speaks of, and as which keys that person may act. */
import type { OidcSettings } from './settings.js'

export interface Person {
  /** The name of the person that never changes and that nobody else of this issuer has. */
  readonly subject: string
  /** For people to read; empty where the token has none. */
  readonly name: string
  readonly groups: readonly string[]
}

type Claims = Readonly<Record<string, unknown>>

const MAX_SUBJECT_LENGTH = 255
const MAX_NAME_LENGTH = 128

/** Null where the token names nobody: a subject is 1 to 255 visible ASCII characters or blanks between. */
export function personOf(
  claims: Claims,
  { groupClaim, nameClaim }: Pick<OidcSettings, 'groupClaim' | 'nameClaim'>,
): Person | null {
  const { sub } = claims
  if (typeof sub !== 'string' || sub.length > MAX_SUBJECT_LENGTH || !/^[!-~](?:[ -~]*[!-~])?$/.test(sub))
    return null
  return {
    subject: sub,
    name: shownName(claimAt(claims, nameClaim)),
    groups: textsOf(claimAt(claims, groupClaim)),
  }
}

/** As the audit log names the person: the name alone could be anybody’s. */
export function actorOf({ name, subject }: Person): string {
  return name === '' ? subject : `${name} (${subject})`
}

/** The ids of the keys that the groups of a person are mapped to, each once, in the order of the settings. */
export function keysOfGroups(
  groups: readonly string[],
  mapping: ReadonlyMap<string, string>,
): readonly string[] {
  const own = new Set(groups)
  return [...new Set([...mapping].flatMap(([group, keyId]) => (own.has(group) ? [keyId] : [])))]
}

function claimAt(claims: Claims, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, name)
        ? (value as Claims)[name]
        : undefined,
    claims,
  )
}

/** One line without anything invisible, so that no name can look like another entry. */
function shownName(value: unknown): string {
  if (typeof value !== 'string') return ''
  const line = value
    .normalize('NFC')
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return [...line].slice(0, MAX_NAME_LENGTH).join('').trim()
}

function textsOf(value: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  return values.filter((one): one is string => typeof one === 'string')
}
