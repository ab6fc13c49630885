/** A witness's key, implemented from C2SP tlog-cosignature alone: it shares no code with the product. */
import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto'

export interface Cosigner {
  readonly name: string
  /** Four bytes. */
  readonly id: Buffer
  /** The public key as the witness publishes it. */
  readonly vkey: string
  /** The line of a cosignature on the text of a checkpoint, at a time in seconds since 1970. */
  line(text: string, at: number | bigint): string
}

const COSIGNATURE_V1 = 4
const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The same byte gives the same key. `type`: the type of another use of a key, instead of that of witnesses. */
export function cosigner(name: string, byte: number, type = COSIGNATURE_V1): Cosigner {
  const der = Buffer.concat([PKCS8_ED25519, Buffer.alloc(32, byte)])
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const { x } = createPublicKey(key as never).export({ format: 'jwk' })
  const material = Buffer.concat([Buffer.of(type), Buffer.from(x!, 'base64url')])
  const id = createHash('sha256').update(`${name}\n`).update(material).digest().subarray(0, 4)
  return {
    ...{ name, id, vkey: `${name}+${id.toString('hex')}+${material.toString('base64')}` },
    line(text, at) {
      const time = Buffer.alloc(8)
      time.writeBigUInt64BE(BigInt(at))
      const signature = sign(null, Buffer.from(`cosignature/v1\ntime ${at}\n${text}`), key)
      return signatureLine(name, Buffer.concat([id, time, signature]))
    },
  }
}

/** A line of a signed note. `bytes`: the id of the key, then the signature. */
export const signatureLine = (name: string, bytes: Uint8Array): string =>
  `— ${name} ${Buffer.from(bytes).toString('base64')}\n`

/** The signed part of a note, or of the checkpoint at the end of a proof: up to the empty line before its signatures. */
export function signedText(note: string): string {
  const text = note.slice(0, note.lastIndexOf('\n\n') + 1)
  return text.slice(text.includes('\n\n') ? text.lastIndexOf('\n\n') + 2 : 0)
}
