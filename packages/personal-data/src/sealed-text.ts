/**
 * Sealed texts: they replace personal data in events, tables and files. A sealed text is
 * `sealed1.<key id>.<base64url of commitment, ciphertext and tag>`.
 *
 * The same text of one account always gives the same sealed text. So repeats of an event have the same bytes, and a reference can
 * be searched without its plain form. The nonce is a part of the commitment, SHA-256 of a salt and the text; the salt is derived from
 * the key and the text. A holder of text and salt can check the commitment. Without the key it is impossible to test a guess.
 */
import { createCipheriv, createDecipheriv, createHmac, hash, hkdfSync, timingSafeEqual } from 'node:crypto'

/** The key of one account, or of the client addresses of a month. */
export interface SealingKey {
  readonly keyId: string
  readonly accountId: string
  seal(text: string): string
  /** Null if the text was not sealed with this key, or was changed. */
  open(sealed: string): OpenedText | null
}

export interface OpenedText {
  readonly text: string
  /** 32 bytes. With it anybody can check that the sealed text belongs to this text. */
  readonly salt: Buffer
}

export const KEY_BYTES = 32
const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
const COMMITMENT_BYTES = 32
/** Limits for the texts that a key remembers, their number and length: 64 kB. */
const MAX_RECENT = 64
const MAX_RECENT_CHARACTERS = 512
const START = 'sealed1.'
const FORM = /sealed1\.([0-9a-f]{16})\.([A-Za-z0-9_-]{64,})/y
const WHOLE = new RegExp(`^${FORM.source}$`)

/** `secret`: 32 random bytes. */
export function createSealingKey(
  secret: Uint8Array,
  { keyId, accountId }: Pick<SealingKey, 'keyId' | 'accountId'>,
): SealingKey {
  const derived = (purpose: string): Buffer => Buffer.from(hkdfSync('sha256', secret, '', purpose, KEY_BYTES))
  const cipherKey = derived('cupel personal data')
  const saltKey = derived('cupel personal data salts')
  const bound = Buffer.from(JSON.stringify(['cupel-sealed-1', accountId, keyId]))
  const saltOf = (text: Uint8Array): Buffer => createHmac('sha256', saltKey).update(text).digest()
  const recent = createRecent()

  return {
    keyId,
    accountId,
    seal(plain) {
      const text = Buffer.from(plain, 'utf8')
      const salt = saltOf(text)
      const commitment = commitmentOf(salt, text)
      const cipher = createCipheriv(CIPHER, cipherKey, commitment.subarray(0, NONCE_BYTES)).setAAD(bound)
      const sealed = Buffer.concat([commitment, cipher.update(text), cipher.final(), cipher.getAuthTag()])
      return recent.remember(`${START}${keyId}.${sealed.toString('base64url')}`, {
        text: text.toString('utf8'),
        salt,
      })
    },
    open(sealed) {
      const known = recent.find(sealed)
      if (known !== undefined) return known
      const bytes = bytesOf(sealed, keyId)
      if (bytes === null) return null
      const commitment = bytes.subarray(0, COMMITMENT_BYTES)
      const decipher = createDecipheriv(CIPHER, cipherKey, commitment.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(bound)
        .setAuthTag(bytes.subarray(-TAG_BYTES))
      try {
        const text = Buffer.concat([
          decipher.update(bytes.subarray(COMMITMENT_BYTES, -TAG_BYTES)),
          decipher.final(),
        ])
        const salt = saltOf(text)
        if (!timingSafeEqual(commitmentOf(salt, text), commitment)) return null
        return { text: text.toString('utf8'), salt }
      } catch {
        // The tag does not match: the text was changed, or another key has this id.
        return null
      }
    },
  }
}

/** During a screen, the process that sealed the reference opens it a few milliseconds later, in the report. */
function createRecent() {
  const texts = new Map<string, OpenedText>()
  return {
    find: (sealed: string): OpenedText | undefined => texts.get(sealed),
    remember(sealed: string, opened: OpenedText): string {
      if (sealed.length <= MAX_RECENT_CHARACTERS) texts.set(sealed, opened)
      if (texts.size > MAX_RECENT) texts.delete(texts.keys().next().value!)
      return sealed
    },
  }
}

/** SHA-256 of the 32 bytes of the salt followed by the text. */
const commitmentOf = (salt: Uint8Array, text: Uint8Array): Buffer =>
  hash('sha256', Buffer.concat([salt, text]), 'buffer')

function bytesOf(sealed: string, keyId: string): Buffer | null {
  const [, id, data] = WHOLE.exec(sealed) ?? []
  if (id !== keyId || data === undefined) return null
  const bytes = Buffer.from(data, 'base64url')
  const isWhole = bytes.length >= COMMITMENT_BYTES + TAG_BYTES && bytes.toString('base64url') === data
  return isWhole ? bytes : null
}

/** The id of the key that sealed the text; null if it does not have the form of a sealed text. */
export const keyIdOf = (text: string): string | null => WHOLE.exec(text)?.[1] ?? null

/** Whether the text may contain a sealed text. */
export const maySeal = (text: string): boolean => text.includes(START)

/** Ids of the keys of all sealed texts within a text. */
export function keyIdsIn(text: string): Set<string> {
  const keyIds = new Set<string>()
  eachSealed(text, (_from, _sealed, keyId) => keyIds.add(keyId))
  return keyIds
}

/** Replaces each sealed text within the text with the result of `by`. */
export function exchangeSealed(text: string, by: (sealed: string, keyId: string) => string): string {
  let exchanged = ''
  let taken = 0
  eachSealed(text, (from, sealed, keyId) => {
    exchanged += text.slice(taken, from) + by(sealed, keyId)
    taken = from + sealed.length
  })
  return exchanged + text.slice(taken)
}

/** A report has thousands of characters and one sealed text. A plain search for its start is faster. */
function eachSealed(text: string, found: (from: number, sealed: string, keyId: string) => void): void {
  for (let from = text.indexOf(START); from >= 0;) {
    FORM.lastIndex = from
    const [sealed, keyId] = FORM.exec(text) ?? []
    if (sealed !== undefined) found(from, sealed, keyId!)
    from = text.indexOf(START, from + (sealed?.length ?? START.length))
  }
}
