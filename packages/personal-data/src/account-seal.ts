/** Seals the personal data of one account: under the key of the account, of a month, or of a customer reference. */
import type { ReferenceKeys } from './reference-keys.js'
import { keyIdOf, maySeal } from './sealed-text.js'
import type { StoredKey } from './stored-key.js'

/** Shown in place of a text whose key was destroyed. */
export const ERASED = 'erased'
/** Number of client addresses of an account whose sealed form is remembered. */
const MAX_ADDRESSES = 64

export interface AccountSeal {
  seal(text: string): string
  /** The same for a client address. It uses the key of the month, which has its own retention. */
  sealClientAddress(address: string): string
  /** As `seal`, for a text that may be sealed already. Only for texts that the platform made, never for texts of a caller. */
  sealOnce(text: string): string
  /** The same for customer references, in order. Each has its own key, made at its first use. Rejects if keys cannot be read. */
  sealReferences(references: readonly string[]): Promise<string[]>
  /**
   * The same for a text about a report. It uses the key of the stored reference, so that both are erased together. It uses the key
   * of the account if the report has no reference, or if the reference was erased before.
   */
  sealBeside(sealedReference: string | null, text: string): Promise<string>
}

const unchanged = (text: string): string => text
export const plainSeal: AccountSeal = {
  seal: unchanged,
  sealClientAddress: unchanged,
  sealOnce: unchanged,
  sealReferences: (references) => Promise.resolve([...references]),
  sealBeside: (_sealedReference, text) => Promise.resolve(text),
}

export interface SealParts {
  readonly accountId: string
  /** Null once it is destroyed. */
  readonly key: StoredKey['key']
  readonly monthKey: StoredKey['key']
  readonly references: ReferenceKeys
  keysOf(keyIds: Iterable<string>): Promise<ReadonlyMap<string, StoredKey>>
}

/** No text of an erased account is stored: each is replaced by ERASED. */
export function createAccountSeal({ accountId, key, monthKey, references, keysOf }: SealParts): AccountSeal {
  const addresses = new Map<string, string>()
  const sealUnder = (own: StoredKey['key'], text: string): string =>
    text === '' ? '' : (own?.seal(text) ?? ERASED)
  const seal = (text: string): string => sealUnder(key, text)
  const isOwn = (text: string): boolean => key !== null && key.open(text) !== null
  return {
    seal,
    sealOnce: (text) => (maySeal(text) && isOwn(text) ? text : seal(text)),
    sealClientAddress(address) {
      if (address === '') return ''
      const known = addresses.get(address)
      if (known !== undefined) return known
      const sealed = monthKey?.seal(address) ?? ERASED
      if (addresses.size >= MAX_ADDRESSES) addresses.clear()
      addresses.set(address, sealed)
      return sealed
    },
    async sealReferences(texts) {
      if (key === null) return texts.map(seal)
      const keys = await references.of(accountId, texts)
      return texts.map((text, index) => sealUnder(keys[index]?.key ?? null, text))
    },
    async sealBeside(sealedReference, text) {
      const keyId = sealedReference === null ? null : keyIdOf(sealedReference)
      if (keyId === null || key === null) return seal(text)
      const stored = (await keysOf([keyId])).get(keyId)
      return stored?.accountId === accountId && stored.key !== null ? stored.key.seal(text) : seal(text)
    },
  }
}
