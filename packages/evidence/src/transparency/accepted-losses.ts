/** The losses that operators accepted: leaves whose records the log no longer has. Each acceptance is signed with the log's key. */
import type { DomainEvent, EventData } from '@cupel/contracts'
import { eventsOf, type AuthenticLog, type EventCodec } from '@cupel/event-log'
import type { Queryable } from '@cupel/postgres'
import { openNote, signNote, UnsignedNoteError, type Signer, type Verifier } from '@cupel/signing'
import { originOf } from './format/checkpoint.js'

/** Leaves `from` ≤ index < `to`. */
export interface LeafRange {
  readonly from: number
  readonly to: number
}

export type Acceptance = EventData['ShorterLogAccepted']

export function signAcceptance(acceptance: Omit<Acceptance, 'signature'>, signer: Signer): Acceptance {
  return { ...acceptance, signature: signNote(textOf(signer.key.name, acceptance), signer) }
}

/** What is signed: the log, the leaves, and who said it when and why. */
function textOf(name: string, { log, leaves, ...said }: Omit<Acceptance, 'signature'>): string {
  const { acceptedAt, acceptedBy, reason } = said
  const ranges = leaves.map(({ from, to }) => [from, to])
  return `${originOf({ name }, log)}/accepted\n${JSON.stringify([ranges, acceptedAt, acceptedBy, reason])}\n`
}

function isSigned(acceptance: Acceptance, verifier: Verifier): boolean {
  try {
    const { text, keyName } = openNote(acceptance.signature, verifier)
    return text === textOf(keyName, acceptance)
  } catch (error) {
    if (error instanceof UnsignedNoteError) return false
    throw error
  }
}

export interface AcceptedLosses {
  readonly leaves: readonly LeafRange[]
  readonly acceptances: readonly Acceptance[]
}

/** The acceptances of this log that a key of it signed: in the log, or still on their way to it. Without a database only those in the log. */
export async function readAcceptedLosses(parts: {
  readonly log: AuthenticLog
  readonly codec: EventCodec
  readonly database: Queryable | null
  readonly verifier: Verifier
}): Promise<AcceptedLosses> {
  const { log, codec, database, verifier } = parts
  const identity = await log.identity()
  const found: Acceptance[] = database === null ? [] : await waiting(database)
  for await (const { data } of eventsOf({ log, codec }, ['ShorterLogAccepted'])) found.push(data)
  const acceptances = found.filter((each) => each.log === identity && isSigned(each, verifier))
  const once = [...new Map(acceptances.map((each) => [each.signature, each])).values()]
  return { acceptances: once, leaves: once.flatMap(({ leaves }) => leaves) }
}

async function waiting(database: Queryable): Promise<Acceptance[]> {
  const rows = await database.query<{ event: DomainEvent<'ShorterLogAccepted'> }>(
    `SELECT event FROM projection.outbox WHERE relayed_at IS NULL AND event->>'type' = 'ShorterLogAccepted'`,
  )
  return rows.map(({ event }) => event.data)
}
