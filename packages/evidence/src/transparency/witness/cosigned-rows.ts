/** The database rows about witnesses: cosignatures of checkpoints, and the state of each witness. A process keeps no other state of them. */
import type { Database, Queryable } from '@cupel/postgres'
import { parseNote } from '@cupel/signing'
import { cosignaturesOf, witnessKeyText, type WitnessKey } from '../format/cosignature.js'
import type { Answer } from './ask-witness.js'
import type { WitnessSettings } from './witness-settings.js'

/** The state of one witness. */
export interface WitnessState {
  readonly name: string
  readonly vkey: string
  /** Number of leaves of the last checkpoint that it is known to have cosigned. */
  readonly size: number
  /** Time since its last cosignature, in milliseconds; null if it never cosigned. */
  readonly cosignedAgeMs: number | null
  /** A clause that says why the last attempt failed; null if it cosigned. */
  readonly failure: string | null
  /** Consecutive failed attempts. */
  readonly failures: number
  /** Whether it says that the log does not extend what it cosigned: there are two histories. */
  readonly sawOther: boolean
}

export interface CosigningState {
  /** Number of leaves of the last checkpoint. */
  readonly size: number
  /** The last one that enough witnesses cosigned; null if there is none. */
  readonly cosigned: { readonly size: number; readonly ageMs: number } | null
  readonly witnesses: readonly WitnessState[]
}

/** Null if the log has no transparency log, or no witnesses. */
export async function readCosigning(database: Queryable, log: string): Promise<CosigningState | null> {
  const [row] = await database.query<{
    number: number
    size: number
    cosignedSize: number | null
    ageMs: number | null
  }>(
    `SELECT number, size, cosigned_size AS "cosignedSize", ${ageOf('cosigned_at')} AS "ageMs"
     FROM transparency.log WHERE log = $1`,
    [log],
  )
  if (row === undefined) return null
  const witnesses = await database.query<Omit<WitnessState, 'name'>>(
    `SELECT vkey, size, failure, failures, saw_other AS "sawOther", ${ageOf('cosigned_at')} AS "cosignedAgeMs"
     FROM transparency.witness WHERE number = $1 ORDER BY vkey`,
    [row.number],
  )
  if (witnesses.length === 0) return null
  const { size, cosignedSize, ageMs } = row
  return {
    size,
    cosigned: cosignedSize === null ? null : { size: cosignedSize, ageMs: ageMs! },
    witnesses: witnesses.map((each) => ({ ...each, name: each.vkey.slice(0, each.vkey.indexOf('+')) })),
  }
}

/** A checkpoint that lacks cosignatures for this long is not just slow: a witness or the way to it is the cause. */
const MAX_UNCOSIGNED_MS = 600_000

const isLongBehind = ({ size, cosigned }: CosigningState): boolean =>
  cosigned === null ? size > 0 : cosigned.size < size && cosigned.ageMs > MAX_UNCOSIGNED_MS

/** A sentence; null if enough witnesses cosign, and none saw another history. */
export function uncosignedOf(state: CosigningState, isBehind = isLongBehind(state)): string | null {
  const { witnesses } = state
  const other = witnesses.find(({ sawOther }) => sawOther)
  if (other !== undefined) return `${otherHistory(other.name, other.failure ?? '')}.`
  const said = witnesses.flatMap(({ name, failure }) => (failure === null ? [] : [`${name}: ${failure}`]))
  const why = said.length === 0 ? '' : ` (${said.join('; ')})`
  return isBehind ? `Too few witnesses cosign the checkpoints of the transparency log${why}.` : null
}

export const otherHistory = (name: string, detail: string): string =>
  `The witness ${name} saw another history of the transparency log: ${detail}`

/** In milliseconds; null if it never happened. */
const ageOf = (column: string): string =>
  `CASE WHEN ${column} IS NOT NULL THEN greatest(0, extract(epoch FROM now() - ${column}) * 1000) END::float8`

/** Keeps the rows of exactly these witnesses. */
export async function putWitnesses(
  database: Database,
  number: number,
  keys: readonly WitnessKey[],
): Promise<void> {
  const vkeys = keys.map(witnessKeyText)
  await database.execute(
    `WITH gone AS (DELETE FROM transparency.witness WHERE number = $1 AND NOT (vkey = ANY($2::text[])))
     INSERT INTO transparency.witness (number, vkey) SELECT $1, unnest($2::text[]) ON CONFLICT DO NOTHING`,
    [number, vkeys],
  )
}

/** If no witness is configured any more, none is reported. */
export async function forgetWitnesses(database: Queryable): Promise<void> {
  await database.execute('DELETE FROM transparency.witness')
}

/** A witness that only this process may ask, with its state before. */
export interface Claimed {
  readonly vkey: string
  readonly size: number
  readonly failures: number
  readonly sawOther: boolean
}

/** Those of the witnesses that no other process asks, and that are not in a pause after a failure. The claim ends after `forMs` by itself. */
export async function claimWitnesses(
  database: Queryable,
  number: number,
  { vkeys, forMs }: { readonly vkeys: readonly string[]; readonly forMs: number },
): Promise<readonly Claimed[]> {
  return await database.query<Claimed & Record<string, unknown>>(
    `UPDATE transparency.witness SET retry_at = now() + $3 * interval '1 millisecond'
     WHERE number = $1 AND vkey = ANY($2::text[]) AND (retry_at IS NULL OR retry_at <= now())
     RETURNING vkey, size, failures, saw_other AS "sawOther"`,
    [number, vkeys, forMs],
  )
}

/** The checked answers of the witnesses that were asked to cosign one checkpoint. */
export interface Round {
  readonly number: number
  /** The submitted checkpoint, with its lines at that time, and its leaves. */
  readonly note: string
  readonly size: number
  readonly claimed: readonly Claimed[]
  readonly answers: readonly { readonly vkey: string; readonly answer: Answer }[]
  /** A failing witness is asked at growing intervals, which begin with twice this time. */
  readonly restMs: number
  readonly settings: Pick<WitnessSettings, 'witnesses' | 'quorum'>
}

/** The longest pause after a failure. */
const MAX_PAUSE_MS = 60_000

/** Stores what each witness answered, and ends the claims. */
export async function storeRound(database: Database, round: Round): Promise<void> {
  const { number, size, claimed, answers, restMs } = round
  const lines = answers.flatMap(({ answer }) => (answer.kind === 'cosigned' ? [answer.line] : []))
  await database.transaction({ at: 'transparency.cosign' }, async (transaction) => {
    if (lines.length > 0) await storeLines(transaction, round, lines)
    await transaction.execute(
      'UPDATE transparency.witness SET retry_at = NULL WHERE number = $1 AND vkey = ANY($2::text[])',
      [number, claimed.map(({ vkey }) => vkey)],
    )
    for (const { vkey, answer } of answers)
      if (answer.kind === 'cosigned')
        await transaction.execute(
          `UPDATE transparency.witness SET size = greatest(size, $3), cosigned_at = now(), failure = NULL, failures = 0, saw_other = false
           WHERE number = $1 AND vkey = $2`,
          [number, vkey, size],
        )
      else
        await transaction.execute(
          `UPDATE transparency.witness SET failure = $3, failures = failures + 1, saw_other = $4,
             retry_at = now() + least($5 * 2 ^ least(failures + 1, 20), $6) * interval '1 millisecond'
           WHERE number = $1 AND vkey = $2`,
          [number, vkey, answer.detail, answer.reason === 'inconsistent', restMs, MAX_PAUSE_MS],
        )
  })
}

/** Adds the lines to the checkpoint that they are on: to the last one or, if the log has a longer one by now, to the last cosigned one. */
async function storeLines(
  transaction: Queryable,
  { number, note, size, settings: { witnesses, quorum } }: Round,
  added: readonly string[],
): Promise<void> {
  const [row] = await transaction.query<{
    size: number
    checkpoint: string
    cosignedSize: number | null
    cosigned: string | null
  }>(
    `SELECT size, checkpoint, cosigned_size AS "cosignedSize", cosigned FROM transparency.log
     WHERE number = $1 FOR UPDATE`,
    [number],
  )
  if (row === undefined) throw new Error('The row of the cosigned transparency log vanished')
  const isLast = row.size === size && textOf(row.checkpoint) === textOf(note)
  const isCosigned = row.cosignedSize === size && textOf(row.cosigned!) === textOf(note)
  const merged = withLines(isLast ? row.checkpoint : note, [
    ...linesOf(isCosigned ? row.cosigned! : note),
    ...added,
  ])
  if (isLast)
    await transaction.execute('UPDATE transparency.log SET checkpoint = $2 WHERE number = $1', [
      number,
      merged,
    ])
  const keys = witnesses.map((witness) => witness.key)
  const isEnough = cosignaturesOf(merged, keys).length >= quorum
  if (isEnough && row.size >= size && (isCosigned || size > (row.cosignedSize ?? 0)))
    await transaction.execute(
      `UPDATE transparency.log SET cosigned_at = CASE WHEN cosigned_size = $2 THEN cosigned_at ELSE now() END,
         cosigned_size = $2, cosigned = $3 WHERE number = $1`,
      [number, size, merged],
    )
}

const textOf = (note: string): string => parseNote(note).text

/** Lines of signatures, each with its newline. */
const linesOf = (note: string): string[] => note.slice(textOf(note).length + 1).match(/[^\n]+\n/g) ?? []

/** The note with added lines for keys that have no line in it yet. */
function withLines(note: string, lines: readonly string[]): string {
  let result = note
  for (const line of lines) {
    const has = parseNote(result).signatures
    const [added] = parseNote(`${textOf(note)}\n${line}`).signatures
    if (!has.some(({ keyName, keyId }) => keyName === added!.keyName && keyId === added!.keyId))
      result += line
  }
  return result
}

/** The number of signature lines of a note. */
export const lineCount = (note: string): number => linesOf(note).length
