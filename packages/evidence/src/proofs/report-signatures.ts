/** Checks whether reports carry signatures of the installation, with only public keys. */
import {
  type AuthenticLog,
  type EventCodec,
  eventsOf,
  type LogIdentity,
  type LogRecord,
  placeOf,
  timeOfRecord,
} from '@cupel/event-log'
import {
  createSignatureCheck,
  parseVerifierKey,
  verifierKey,
  type PublicKey,
  type SignatureVerdict,
} from '@cupel/signing'
import { problemAt, type Problem } from './problem.js'

export interface SignatureSummary {
  readonly signed: number
  /** Reports without a signature: none is required while the log names no key. */
  readonly unsigned: number
  /** Those of them that are from before the first key: they carry a MAC only. */
  readonly beforeFirstKey: number
  /** ISO 8601: when the log named its first key; null if it names none. */
  readonly firstKeyAt: string | null
  /** Keys that the log names or the caller gave. */
  readonly keys: readonly {
    readonly keyId: string
    readonly verifierKey: string
    /** Whether the log names the key. */
    readonly isPublished: boolean
    /** Whether signatures of the key count in this verification. */
    readonly isTrusted: boolean
    readonly reports: number
  }[]
}

export interface SignatureExamination {
  /** Adds a report, whose value has this hash, to the counts, and returns the problem with its signature; null if there is none. */
  examine(report: LogRecord, valueSha256: string, counts: SignatureCounts): Problem | null
  summary(counts: SignatureCounts): SignatureSummary
}

/** Plain data, so that counts of several threads are added up. */
export interface SignatureCounts {
  signed: number
  unsigned: number
  beforeFirstKey: number
  readonly reportsOfKey: Record<string, number>
}

export const noSignatures = (): SignatureCounts => ({
  ...{ signed: 0, unsigned: 0, beforeFirstKey: 0, reportsOfKey: {} },
})

export function addSignatures(counts: SignatureCounts, other: SignatureCounts): void {
  counts.signed += other.signed
  counts.unsigned += other.unsigned
  counts.beforeFirstKey += other.beforeFirstKey
  for (const [keyId, reports] of Object.entries(other.reportsOfKey))
    counts.reportsOfKey[keyId] = (counts.reportsOfKey[keyId] ?? 0) + reports
}

export interface SignatureParts {
  readonly log: AuthenticLog
  readonly codec: EventCodec
  /** Keys that came from another source than the log; null to use the keys that the log names. */
  readonly publicKeys: readonly PublicKey[] | null
  /** Offsets before which records have a leaf before that of the first key, by `topic/partition`; none if no tree shows it. */
  readonly beforeKeys?: ReadonlyMap<string, number>
}

/**
 * Where there is a key, every report must be signed, except those that the tree and their times show to be from before the log named its
 * first key.
 */
export async function openSignatureExamination(parts: SignatureParts): Promise<SignatureExamination> {
  const { publicKeys, beforeKeys } = parts
  const { published, adopted, firstKeyAt } = await readKeyEvents(parts)
  const trusted = publicKeys ?? published
  const isDue = published.length > 0 || trusted.length > 0
  const check = createSignatureCheck(trusted, identitiesOf(await parts.log.identity(), adopted))

  function isBeforeFirstKey(record: LogRecord): boolean {
    const at = timeOfRecord(record)
    const hasEarlierLeaf = record.offset < (beforeKeys?.get(placeOf(record)) ?? 0)
    return hasEarlierLeaf && at !== null && firstKeyAt !== null && at < firstKeyAt
  }

  function faultOfUnsigned(record: LogRecord, counts: SignatureCounts): Omit<Finding, 'record'> | null {
    counts.unsigned += 1
    if (!isDue) return null
    if (!isBeforeFirstKey(record)) return { kind: 'unsigned', detail: 'carries no signature' }
    counts.beforeFirstKey += 1
    return null
  }

  function faultOf(
    verdict: Exclude<SignatureVerdict, { readonly kind: 'no-signature' }>,
    counts: SignatureCounts,
  ): Omit<Finding, 'record'> | null {
    if (verdict.kind === 'malformed') return { kind: 'signature', detail: 'has a malformed signature' }
    const { keyId } = verdict
    if (verdict.kind === 'unknown-key')
      return { kind: 'signature', detail: `is signed by the key ${keyId}, which ${untrusted(keyId)}` }
    if (verdict.kind === 'wrong-signature')
      return { kind: 'signature', detail: `is not what the key ${keyId} signed` }
    addSignatures(counts, { ...noSignatures(), signed: 1, reportsOfKey: { [keyId]: 1 } })
    return null
  }

  const untrusted = (keyId: string): string =>
    publicKeys !== null && published.some(({ id }) => id === keyId)
      ? 'is not among the given ones'
      : 'was never published'

  return {
    examine(record, valueSha256, counts) {
      const verdict = check(record, valueSha256)
      const fault =
        verdict.kind === 'no-signature' ? faultOfUnsigned(record, counts) : faultOf(verdict, counts)
      return fault === null ? null : problemOf({ ...fault, record })
    },
    summary: ({ signed, unsigned, beforeFirstKey, reportsOfKey }) => ({
      ...{ signed, unsigned, beforeFirstKey, firstKeyAt },
      keys: distinct([...published, ...trusted]).map((key) => ({
        keyId: key.id,
        verifierKey: verifierKey(key),
        isPublished: published.some((other) => isSame(other, key)),
        isTrusted: trusted.some((other) => isSame(other, key)),
        reports: reportsOfKey[key.id] ?? 0,
      })),
    }),
  }
}

interface Finding {
  readonly kind: 'unsigned' | 'signature'
  readonly detail: string
  readonly record: LogRecord
}

function problemOf({ kind, detail, record }: Finding): Problem {
  return problemAt(kind, record, `The report ${record.key} ${detail}.`)
}

interface KeyEvents {
  readonly published: readonly PublicKey[]
  readonly firstKeyAt: string | null
  /** Maps the identity of each adopted copy to the identity of the log that it replaced (docs/adr/0318). */
  readonly adopted: ReadonlyMap<LogIdentity, LogIdentity>
}

/** The log's own identity, and those that it had before each adoption: earlier signatures are made for these. */
function identitiesOf(own: LogIdentity, adopted: KeyEvents['adopted']): LogIdentity[] {
  const identities = new Set<LogIdentity>()
  for (let at: LogIdentity | undefined = own; at !== undefined && !identities.has(at); at = adopted.get(at))
    identities.add(at)
  return [...identities]
}

/** The few events about keys and copies. Records of other producers and undecodable records are left out and reported elsewhere. */
async function readKeyEvents(parts: Pick<SignatureParts, 'log' | 'codec'>): Promise<KeyEvents> {
  const published: PublicKey[] = []
  const times: string[] = []
  const adopted = new Map<LogIdentity, LogIdentity>()
  for await (const event of eventsOf(parts, ['SigningKeyPublished', 'LogAdopted']))
    if (event.type === 'SigningKeyPublished') {
      const key = parseVerifierKey(event.data.verifierKey)
      if (key === null) continue
      published.push(key)
      times.push(event.envelope.time)
    } else if (event.type === 'LogAdopted') adopted.set(event.data.log, event.data.replaces)
  return { published, adopted, firstKeyAt: times.sort()[0] ?? null }
}

const isSame = (one: PublicKey, other: PublicKey): boolean => verifierKey(one) === verifierKey(other)
const distinct = (keys: readonly PublicKey[]): PublicKey[] => [
  ...new Map(keys.map((key) => [verifierKey(key), key])).values(),
]
