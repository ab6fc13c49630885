/** Reads the person from a verified ID token, and maps the groups of the person to API keys. */
import type { OidcSettings } from './settings.js'

export interface Person {
  /** The name of the person that never changes and is unique within this issuer. */
  readonly subject: string
  /** For people to read; empty if the token has none. */
  readonly name: string
  readonly groups: readonly string[]
}

type Claims = Readonly<Record<string, unknown>>

const MAX_SUBJECT_LENGTH = 255
const MAX_NAME_LENGTH = 128

/** Null if the token has no valid subject. A subject is 1 to 255 visible ASCII characters, or blanks between them. */
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

/** The audit log's name for the person. It includes the subject, because the display name is not unique. */
export function actorOf({ name, subject }: Person): string {
  return name === '' ? subject : `${name} (${subject})`
}

/** The ids of the keys that the person's groups are mapped to, each once, in the order of the settings. */
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

/** Returns one line without invisible characters, so that no name can look like another entry. */
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
