/** Checks whether reports carry signatures of the installation, with public keys alone. */
import { topicOf, type DomainEvent } from '@cupel/contracts'
import {
  type AuthenticLog,
  type EventCodec,
  type ForgeryCheck,
  type LogIdentity,
  type LogRecord,
  placeOf,
  type Position,
  scan,
} from '@cupel/event-log'
import {
  createSignatureCheck,
  parseVerifierKey,
  purposeOf,
  verifierKey,
  type PublicKey,
  type SignatureVerdict,
} from '@cupel/signing'
import type { Problem } from './problem.js'

export interface ExpectedSignatures {
  /** Keys that came from another source than the log; null to use the keys that the log names. */
  readonly publicKeys: readonly PublicKey[] | null
  /** Whether a report at the position must be signed. */
  readonly isDue: (position: Position) => boolean
}

export interface SignatureSummary {
  readonly signed: number
  /** Reports without a signature, whether or not one is required. */
  readonly unsigned: number
  /** Report keys that the log names or the caller gave. */
  readonly keys: readonly {
    readonly keyId: string
    readonly verifierKey: string
    /** Whether the log names the key. */
    readonly isPublished: boolean
    /** Whether signatures of the key count in this verification. */
    readonly isTrusted: boolean
    readonly isRetired: boolean
    readonly reports: number
  }[]
}

export interface SignatureExamination {
  /** The problem with the signature of a report; null if there is none. */
  examine(report: LogRecord): Problem | null
  summary(): SignatureSummary
}

export async function openSignatureExamination(
  parts: { readonly log: AuthenticLog; readonly codec: EventCodec; readonly forgeryOf: ForgeryCheck },
  { publicKeys, isDue }: ExpectedSignatures,
): Promise<SignatureExamination> {
  const { published, retired, adopted, signsSince } = await readKeyEvents(parts)
  /** Places of which a record so far shows that reports are signed. */
  const signing = new Set<string>()
  const trusted = publicKeys ?? published
  const check = createSignatureCheck(trusted, identitiesOf(await parts.log.identity(), adopted))
  const reportsOf = new Map<string, number>()
  let [signed, unsigned] = [0, 0]

  function faultOf(verdict: SignatureVerdict, record: LogRecord): Omit<Finding, 'record'> | null {
    if (verdict.kind === 'no-signature') {
      unsigned += 1
      // The table of the database cannot say less than the log.
      const isDueByLog = signsSince !== null && signing.has(placeOf(record))
      return isDueByLog || isDue(record) ? { kind: 'unsigned', detail: 'carries no signature' } : null
    }
    if (verdict.kind === 'malformed') return { kind: 'signature', detail: 'has a malformed signature' }
    const { keyId } = verdict
    if (verdict.kind === 'unknown-key')
      return { kind: 'signature', detail: `is signed by the key ${keyId}, which ${untrusted(keyId)}` }
    if (verdict.kind === 'wrong-signature')
      return { kind: 'signature', detail: `is not what the key ${keyId} signed` }
    const end = retired.get(keyId)
    if (end !== undefined && record.offset >= (end.get(placeOf(record)) ?? 0))
      return { kind: 'signature', detail: `is signed by the key ${keyId}, which had been retired` }
    signed += 1
    signing.add(placeOf(record))
    reportsOf.set(keyId, (reportsOf.get(keyId) ?? 0) + 1)
    return null
  }

  const untrusted = (keyId: string): string =>
    publicKeys !== null && published.some(({ id }) => id === keyId)
      ? 'is not among the given ones'
      : 'was never published'

  return {
    examine(record) {
      if (signsSince !== null && (record.headers['ce_time'] ?? '') >= signsSince) signing.add(placeOf(record))
      const fault = faultOf(check(record), record)
      return fault === null ? null : problemOf({ ...fault, record })
    },
    summary: () => ({
      ...{ signed, unsigned },
      keys: distinct([...published, ...trusted]).map((key) => ({
        keyId: key.id,
        verifierKey: verifierKey(key),
        isPublished: published.some((other) => isSame(other, key)),
        isTrusted: trusted.some((other) => isSame(other, key)),
        isRetired: retired.has(key.id),
        reports: reportsOf.get(key.id) ?? 0,
      })),
    }),
  }
}

interface Finding {
  readonly kind: 'unsigned' | 'signature'
  readonly detail: string
  readonly record: LogRecord
}

function problemOf({ kind, detail, record: { topic, partition, offset, key } }: Finding): Problem {
  return { kind, topic, partition, offset, detail: `The report ${key} ${detail}.` }
}

interface KeyEvents {
  readonly published: readonly PublicKey[]
  /** By key id: the offset in each partition from which its signatures no longer count. */
  readonly retired: ReadonlyMap<string, ReadonlyMap<string, number>>
  /** Maps the identity of each adopted copy to the identity of the log that it replaced (docs/adr/0318). */
  readonly adopted: ReadonlyMap<LogIdentity, LogIdentity>
  /**
   * When the log first named a key of reports: later reports must be signed. Null if it names none, or if an operator ever accepted reports
   * without a signature; then the database knows from which offset to which.
   */
  readonly signsSince: string | null
}

/** The log's own identity, and those that it had before each adoption: earlier signatures are made for these. */
function identitiesOf(own: LogIdentity, adopted: KeyEvents['adopted']): LogIdentity[] {
  const identities = new Set<LogIdentity>()
  for (let at: LogIdentity | undefined = own; at !== undefined && !identities.has(at); at = adopted.get(at))
    identities.add(at)
  return [...identities]
}

/** The few events about report keys and copies. Records of other producers and undecodable records are left out and reported elsewhere. */
async function readKeyEvents(parts: Parameters<typeof openSignatureExamination>[0]): Promise<KeyEvents> {
  const published: PublicKey[] = []
  const retired = new Map<string, Map<string, number>>()
  const adopted = new Map<LogIdentity, LogIdentity>()
  let signsSince: string | null = null
  let isLifted = false
  const topics = [...new Set(KEY_EVENTS.map((type) => topicOf(type)))]
  for await (const event of authenticEvents(parts, topics))
    if (event.type === 'SigningKeyPublished') {
      const key = parseVerifierKey(event.data.verifierKey)
      if (key === null || purposeOf(key) !== 'reports') continue
      published.push(key)
      signsSince ??= event.envelope.time
    } else if (event.type === 'SigningKeyRetired')
      retired.set(event.data.keyId, earliest(retired.get(event.data.keyId), event.data.ends))
    else if (event.type === 'LogAdopted') adopted.set(event.data.log, event.data.replaces)
    else if (event.type === 'ReportSignaturesChanged') isLifted ||= !event.data.required
  return { published, retired, adopted, signsSince: isLifted ? null : signsSince }
}

const KEY_EVENTS = [
  ...(['SigningKeyPublished', 'SigningKeyRetired'] as const),
  ...(['LogAdopted', 'ReportSignaturesChanged'] as const),
] as const

async function* authenticEvents(
  { log, codec, forgeryOf }: Parameters<typeof openSignatureExamination>[0],
  topics: readonly string[],
): AsyncGenerator<DomainEvent> {
  for await (const record of scan(log.unchecked, topics)) {
    const event = forgeryOf(record) === null ? decoded(codec, record) : null
    if (event !== null) yield event
  }
}

function decoded(codec: EventCodec, record: LogRecord): ReturnType<EventCodec['decode']> | null {
  try {
    return codec.decode(record)
  } catch {
    // The verification of its topic reports the record.
    return null
  }
}

function earliest(known: Map<string, number> | undefined, ends: readonly Position[]): Map<string, number> {
  const all = known ?? new Map<string, number>()
  for (const end of ends) all.set(placeOf(end), Math.min(all.get(placeOf(end)) ?? Infinity, end.offset))
  return all
}

const isSame = (one: PublicKey, other: PublicKey): boolean => verifierKey(one) === verifierKey(other)
const distinct = (keys: readonly PublicKey[]): PublicKey[] => [
  ...new Map(keys.map((key) => [verifierKey(key), key])).values(),
]
