/** Asks one witness to cosign a checkpoint, according to C2SP tlog-witness. Its answer counts only if its signature is valid. */
import type { OutboundClient } from '@cupel/kit/outbound'
import { parseNote, UnsignedNoteError } from '@cupel/signing'
import { openCosignature, type WitnessKey } from '../format/cosignature.js'
import { numberOf } from '../format/base64.js'
import type { Witness } from './witness-settings.js'

export interface Submission {
  /** The signed note. */
  readonly note: string
  /** Number of leaves of its tree. */
  readonly size: number
  /** The consistency proof from a smaller tree to this one, in base64. */
  readonly prove: (from: number) => Promise<readonly string[]>
}

export type FailureReason =
  /** No answer arrived, or none in time. */
  | 'unreachable'
  /** The witness does not know the log or its key, or cannot answer now. */
  | 'refused'
  /** The answer does not follow the protocol, or carries no valid cosignature. */
  | 'bad-answer'
  /** The witness cosigned another history: there are two histories. */
  | 'inconsistent'

export type Answer =
  | { readonly kind: 'cosigned'; /** With its newline. */ readonly line: string }
  | { readonly kind: 'failed'; readonly reason: FailureReason; readonly detail: string }

export type WitnessOutcome =
  | Answer
  /** It cosigned a checkpoint with this number of leaves, more than this one has. */
  | { readonly kind: 'ahead'; readonly size: number }

export interface AskParts {
  readonly witness: Witness
  /** Number of leaves of the last checkpoint that the witness is known to have cosigned. */
  readonly known: number
  readonly submission: Submission
  readonly client: Pick<OutboundClient, 'post'>
  readonly signal: AbortSignal
  /** In milliseconds since 1970. */
  readonly now: () => number
}

/** A witness has a few keys, and a line takes 150 bytes. */
export const MAX_WITNESS_ANSWER_BYTES = 16_384
/** Maximum number of lines that are examined. */
const MAX_LINES = 64
/** A cosignature from further in the future means that one of the clocks is wrong. */
const MAX_AHEAD_SECONDS = 300
const [OK, FORBIDDEN, NOT_FOUND, CONFLICT, UNPROCESSABLE] = [200, 403, 404, 409, 422]

export async function askWitness({ known, ...parts }: AskParts): Promise<WitnessOutcome> {
  const { size } = parts.submission
  const from = Math.min(known, size)
  const first = await submit(from, parts)
  if (typeof first !== 'number') return first
  if (first > size) return { kind: 'ahead', size: first }
  if (first === from) return conflict(from, size)
  const second = await submit(first, parts)
  if (typeof second !== 'number') return second
  return first === second ? conflict(first, size) : badAnswer('it says two sizes one after the other')
}

/** The outcome, or the size that the witness reports as cosigned instead of `from`. */
async function submit(from: number, parts: Omit<AskParts, 'known'>): Promise<WitnessOutcome | number> {
  const { witness, submission, client, signal } = parts
  const proof = from === 0 || from === submission.size ? [] : await submission.prove(from)
  const answer = await client.post({
    url: `${witness.url}add-checkpoint`,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: [`old ${from}`, ...proof, '', submission.note].join('\n'),
    keepBytes: MAX_WITNESS_ANSWER_BYTES,
    signal,
  })
  if (answer.kind === 'failed') return failed('unreachable', answer.detail)
  if (answer.kind === 'postponed') return failed('unreachable', 'it was not called')
  const { statusCode, body } = answer
  if (statusCode === FORBIDDEN) return failed('refused', 'it does not know the key of the log')
  if (statusCode === NOT_FOUND) return failed('refused', 'it does not know the log')
  if (statusCode === UNPROCESSABLE)
    return failed(
      'inconsistent',
      `the tree of ${submission.size} leaves does not extend the one of ${from} leaves that it cosigned`,
    )
  if (statusCode !== OK && statusCode !== CONFLICT) return failed('refused', `it answered ${statusCode}`)
  if (body === null) return badAnswer(`its answer is longer than ${MAX_WITNESS_ANSWER_BYTES} bytes`)
  const text = body.toString('utf8')
  return statusCode === OK ? cosigned(text, parts) : (sizeOf(text) ?? badAnswer('it says no size'))
}

const sizeOf = (text: string): number | null => numberOf(text.replace(/\n$/, ''))

/** The line of the witness's key, in its one spelling. Every other line is dropped. */
function cosigned(
  answer: string,
  { witness: { key }, submission, now }: Omit<AskParts, 'known'>,
): WitnessOutcome {
  const { text } = parseNote(submission.note)
  const own = answer
    .split('\n', MAX_LINES)
    .flatMap((line) => signatureOf(text, line) ?? [])
    .filter(({ keyName, keyId }) => keyName === key.name && keyId === key.id)
  const [line] = own
  if (line === undefined) return badAnswer('its answer has no cosignature of its key')
  const opened = openCosignature(text, line, key)
  if (opened === null) return badAnswer('its cosignature is wrong')
  if (opened.at > now() / 1_000 + MAX_AHEAD_SECONDS) return badAnswer('its cosignature is from the future')
  return { kind: 'cosigned', line: lineOf(key, line.bytes) }
}

function signatureOf(text: string, line: string) {
  try {
    return parseNote(`${text}\n${line}\n`).signatures
  } catch (error) {
    if (error instanceof UnsignedNoteError) return null
    throw error
  }
}

const lineOf = ({ name, id }: WitnessKey, bytes: Buffer): string =>
  `— ${name} ${Buffer.concat([Buffer.from(id, 'hex'), bytes]).toString('base64')}\n`

const failed = (reason: FailureReason, detail: string): WitnessOutcome => ({ kind: 'failed', reason, detail })
const badAnswer = (detail: string): WitnessOutcome => failed('bad-answer', detail)

const conflict = (from: number, size: number): WitnessOutcome =>
  from === size
    ? failed('inconsistent', `it cosigned another tree of ${size} leaves`)
    : badAnswer(`it refuses ${from} leaves as the size that it says itself`)
