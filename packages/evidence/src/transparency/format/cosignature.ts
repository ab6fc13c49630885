/**
 * Cosignatures of witnesses (https://c2sp.org/tlog-cosignature): a witness signs, with the time, that it saw no other history of the
 * transparency log than that of this checkpoint.
 */
import { createPublicKey, hash, verify, type KeyObject } from 'node:crypto'
import { parseNote, type NoteSignature } from '@cupel/signing'
import { bytesOfBase64 } from './base64.js'

/** The public key of a witness. */
export interface WitnessKey {
  /** Printable ASCII without spaces and `+`. */
  readonly name: string
  /** First four bytes of SHA-256(name, newline, 0x04, public key), in hex. */
  readonly id: string
  /** The 32 bytes of RFC 8032. */
  readonly bytes: Buffer
}

export interface Cosignature {
  /** Name of the witness. */
  readonly witness: string
  readonly keyId: string
  /** The time of the cosignature according to the witness: seconds since 1970. */
  readonly at: number
}

/** Witnesses whose cosignatures count, and the number of cosignatures that a checkpoint needs. */
export interface WitnessPolicy {
  readonly witnesses: readonly WitnessKey[]
  readonly needed: number
}

export const NO_WITNESSES: WitnessPolicy = { witnesses: [], needed: 0 }

/** A cosignature of a known witness is wrong, or too few witnesses cosigned. The message is a sentence. */
export class CosignatureError extends Error {
  override readonly name = 'CosignatureError'
}

const COSIGNATURE_V1 = 0x04
const KEY_BYTES = 32
const TIME_BYTES = 8
const SIGNATURE_BYTES = 64
/** The last second of the year 9999: a later time is always wrong. */
const MAX_TIME = 253_402_300_799

const idOf = (name: string, bytes: Uint8Array): string =>
  hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(COSIGNATURE_V1), bytes]), 'hex').slice(
    0,
    8,
  )

/** The key in one line, as clients of C2SP accept it: name, id, type and key. */
export function witnessKeyText({ name, id, bytes }: WitnessKey): string {
  return `${name}+${id}+${Buffer.concat([Buffer.of(COSIGNATURE_V1), bytes]).toString('base64')}`
}

/** The key of such a line; null if the form or type is another, or if the id does not follow from name and key. */
export function parseWitnessKey(line: string): WitnessKey | null {
  const [, name, id, base64] = /^([!-*,-~]{1,255})\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/.exec(line) ?? []
  const data = base64 === undefined ? null : bytesOfBase64(base64, 1 + KEY_BYTES)
  if (name === undefined || data === null || data[0] !== COSIGNATURE_V1) return null
  const bytes = data.subarray(1)
  return idOf(name, bytes) === id ? { name, id, bytes } : null
}

/** A sentence if the policy cannot be applied to any checkpoint; otherwise null. */
export function faultOfPolicy({ witnesses, needed }: WitnessPolicy): string | null {
  const [names, keys] = [
    witnesses.map(({ name }) => name),
    witnesses.map(({ bytes }) => bytes.toString('hex')),
  ]
  // Two names of one key would count one witness twice, because the name is not signed.
  if (new Set(names).size < names.length || new Set(keys).size < keys.length)
    return 'Two of the witnesses have one name or one key.'
  if (Number.isInteger(needed) && needed >= Math.min(1, witnesses.length) && needed <= witnesses.length)
    return null
  return `Of ${witnesses.length} witnesses, ${needed} cannot be needed.`
}

/**
 * The cosignatures of the given witnesses on a checkpoint, at most one of each. Lines of others are ignored. Throws
 * CosignatureError if the signature of a given witness is wrong, and UnsignedNoteError if the text is not a note.
 */
export function cosignaturesOf(note: string, witnesses: readonly WitnessKey[]): readonly Cosignature[] {
  const { text, signatures } = parseNote(note)
  return witnesses.flatMap((witness) => {
    const found = signatures
      .filter(({ keyName, keyId }) => keyName === witness.name && keyId === witness.id)
      .map((line) => openCosignature(text, line, witness))
    if (found.includes(null))
      throw new CosignatureError(`The cosignature of the witness ${witness.name} is wrong.`)
    return found.slice(0, 1).flatMap((each) => each ?? [])
  })
}

/** The cosignature of a line with the name and the id of the witness; null if the witness did not make it for this text. */
export function openCosignature(
  text: string,
  { bytes }: Pick<NoteSignature, 'bytes'>,
  witness: WitnessKey,
): Cosignature | null {
  if (bytes.length !== TIME_BYTES + SIGNATURE_BYTES) return null
  const time = bytes.readBigUInt64BE()
  if (time > MAX_TIME) return null
  const message = Buffer.from(cosignedText(text, Number(time)))
  if (!verify(null, message, keyObject(witness), bytes.subarray(TIME_BYTES))) return null
  return { witness: witness.name, keyId: witness.id, at: Number(time) }
}

/** The bytes that a witness signs. `text`: that of the checkpoint, with its last newline. `at`: seconds since 1970. */
export const cosignedText = (text: string, at: number): string => `cosignature/v1\ntime ${at}\n${text}`

/**
 * The cosignatures of a checkpoint that has as many as the policy needs. Throws CosignatureError, which names the missing witnesses, and
 * UnsignedNoteError if the text is not a note.
 */
export function requireWitnesses(note: string, { witnesses, needed }: WitnessPolicy): readonly Cosignature[] {
  const cosignatures = cosignaturesOf(note, witnesses)
  if (cosignatures.length >= needed) return cosignatures
  const known = new Set(cosignatures.map(({ witness }) => witness))
  const missing = witnesses.filter(({ name }) => !known.has(name)).map(({ name }) => name)
  throw new CosignatureError(
    `The checkpoint lacks cosignatures: ${needed} of ${witnesses.length} witnesses must have cosigned it, and ${cosignatures.length} did. Missing: ${missing.join(', ')}.`,
  )
}

function keyObject({ bytes }: WitnessKey): KeyObject {
  const key = { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') }
  return createPublicKey({ key, format: 'jwk' })
}
