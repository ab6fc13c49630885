/**
 * Webhook secrets at rest. The sender needs the plain secret, so a hash is not enough: secrets are encrypted and bound to their
 * endpoint, under a key of the operator, or without one under a key in the same database (docs/adr/0112).
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

export interface SecretBox {
  seal(endpointId: string, secret: string): Buffer
  /** Throws if the secret was sealed under another key. */
  open(endpointId: string, sealed: Uint8Array): string
}

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** First byte of a sealed secret: identifies the key. */
const KEY_KINDS = { installation: 1, operator: 2 } as const
type KeyKind = keyof typeof KEY_KINDS

/** `operatorKey`: the setting CUPEL_WEBHOOK_SECRETS_KEY. Secrets that were sealed before it was set can still be opened. */
export function createSecretBox(keys: {
  readonly installationKey: Uint8Array
  readonly operatorKey: string | undefined
}): SecretBox {
  const derive = (from: Uint8Array | string): Uint8Array =>
    new Uint8Array(hkdfSync('sha256', from, '', 'cupel webhook secrets', KEY_BYTES))
  const derived: Readonly<Record<KeyKind, Uint8Array | null>> = {
    installation: derive(keys.installationKey),
    operator: keys.operatorKey === undefined ? null : derive(keys.operatorKey),
  }
  const sealWith: KeyKind = derived.operator === null ? 'installation' : 'operator'

  return {
    seal(endpointId, secret) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, derived[sealWith]!, nonce).setAAD(Buffer.from(endpointId))
      const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.from([KEY_KINDS[sealWith]]), nonce, sealed, cipher.getAuthTag()])
    },
    open(endpointId, sealed) {
      const key = sealed[0] === KEY_KINDS.operator ? derived.operator : derived.installation
      if (key === null)
        throw new Error('A webhook secret was sealed under CUPEL_WEBHOOK_SECRETS_KEY, which is not set')
      const nonce = sealed.subarray(1, 1 + NONCE_BYTES)
      const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(endpointId))
        .setAuthTag(sealed.subarray(-TAG_BYTES))
      const text = sealed.subarray(1 + NONCE_BYTES, -TAG_BYTES)
      return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8')
    },
  }
}
