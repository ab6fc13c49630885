/**
 * Personal data of accounts. It is sealed when it enters the platform and opened only for readers with the right to see it. The log,
 * tables and files between them hold only sealed texts.
 */
import { existsSync } from 'node:fs'
import type { Database } from '@cupel/postgres'
import { createAccountSeal, ERASED, plainSeal, type AccountSeal, type SealParts } from './account-seal.js'
import { mastersInUse, openKeyStore, type KeyStore } from './key-store.js'
import { PersonalDataKeysError } from './master-keys.js'
import { createMemory, type Memory } from './memory.js'
import { createReferenceKeys } from './reference-keys.js'
import { REFERENCE } from './reference-store.js'
import { exchangeSealed, keyIdOf, keyIdsIn, maySeal, type OpenedText } from './sealed-text.js'
import type { StoredKey } from './stored-key.js'

export interface PersonalData {
  /** False if the installation has no keys: everything is stored unsealed. */
  readonly isSealing: boolean
  /** Rejects if the keys cannot be read. */
  of(accountId: string): Promise<AccountSeal>
  /** All stored forms of this text: sealed under each key of the account, and plain from before keys were used. */
  spellings(accountId: string, text: string): Promise<string[]>
  /** The same for a customer reference. */
  referenceSpellings(accountId: string, reference: string): Promise<string[]>
  /** The id of the key of a customer reference; null if it was never used or was erased. */
  referenceKeyId(accountId: string, reference: string): Promise<string | null>
  /** The JSON text with all sealed texts of the account opened; without an account id, those of every account. */
  openJson(json: string, accountId?: string): Promise<string>
  /** The same for text that is not JSON. */
  openText(text: string, accountId?: string): Promise<string>
  /** The plain text of a sealed text, with the salt that proves it; null if it cannot be opened. */
  openingOf(sealed: string): Promise<OpenedText | null>
}

const unchanged = (text: string): string => text

/** For an installation without keys, and for readers without them: sealed texts stay sealed. */
export const noPersonalDataKeys: PersonalData = {
  isSealing: false,
  of: () => Promise.resolve(plainSeal),
  spellings: (_accountId, text) => Promise.resolve([text]),
  referenceSpellings: (_accountId, reference) => Promise.resolve([reference]),
  referenceKeyId: () => Promise.resolve(null),
  openJson: (json) => Promise.resolve(json),
  openText: (text) => Promise.resolve(text),
  openingOf: () => Promise.resolve(null),
}

export interface PersonalDataOptions {
  readonly database: Database
  /** File with the keys of the installation; undefined for none. */
  readonly keysFile: string | undefined
  /** False for readers, which leave sealed texts sealed if there is no file. True by default. */
  readonly isRequired?: boolean
  readonly nowMs?: () => number
}

/** Rejects with PersonalDataKeysError if personal data is sealed and the file with its keys is missing or is another file. */
export async function openPersonalData(options: PersonalDataOptions): Promise<PersonalData> {
  const { database, keysFile, isRequired = true, nowMs = Date.now } = options
  if (keysFile !== undefined && (isRequired || existsSync(keysFile)))
    return createPersonalData(await openKeyStore(database, keysFile), nowMs)
  if (isRequired && (await mastersInUse(database)).length > 0)
    throw new PersonalDataKeysError(
      'Personal data of this installation is sealed and this process has no keys: set CUPEL_PERSONAL_DATA_KEYS_FILE to the file with its keys.',
    )
  return noPersonalDataKeys
}

export function createPersonalData(store: KeyStore, nowMs: () => number = Date.now): PersonalData {
  const keys = createKeyMemory(nowMs)
  const keysOf = (ids: Iterable<string>): Promise<Map<string, StoredKey>> => readKeys(store, keys, ids)
  const references = createReferenceKeys(store.references, nowMs, (key) => keys.remember(key.keyId, key))

  async function opened(
    text: string,
    accountId: string | undefined,
    as: (plain: string) => string,
  ): Promise<string> {
    if (!maySeal(text)) return text
    const known = await keysOf(keyIdsIn(text))
    return exchangeSealed(text, (sealed, keyId) => {
      const stored = known.get(keyId)
      if (stored === undefined || (accountId !== undefined && stored.accountId !== accountId)) return sealed
      if (stored.key === null) return ERASED
      const open = stored.key.open(sealed)
      return open === null ? sealed : as(open.text)
    })
  }

  return {
    isSealing: true,
    of: sealReader(store, keys, { nowMs, references, keysOf }),
    async spellings(accountId, text) {
      const stored = await store.ofAccount(accountId)
      return [text, ...stored.flatMap(({ key }) => (key === null ? [] : [key.seal(text)]))]
    },
    async referenceSpellings(accountId, reference) {
      const stored = await store.references.find(accountId, reference)
      const key = stored?.key ?? null
      return key === null ? [reference] : [reference, key.seal(reference)]
    },
    async referenceKeyId(accountId, reference) {
      return (await store.references.find(accountId, reference))?.keyId ?? null
    },
    openJson: (json, accountId) => opened(json, accountId, (plain) => JSON.stringify(plain).slice(1, -1)),
    openText: (text, accountId) => opened(text, accountId, unchanged),
    async openingOf(sealed) {
      const keyId = keyIdOf(sealed)
      if (keyId === null) return null
      return (await keysOf([keyId])).get(keyId)?.key?.open(sealed) ?? null
    },
  }
}

/** Keeps the keys of accounts apart, so that many references of one account do not displace them. */
function createKeyMemory(nowMs: () => number): Memory<StoredKey> {
  const [ofAccounts, ofReferences] = [createMemory<StoredKey>(nowMs), createMemory<StoredKey>(nowMs)]
  return {
    fresh: (keyId) => ofAccounts.fresh(keyId) ?? ofReferences.fresh(keyId),
    remember: (keyId, key) => (key.period === REFERENCE ? ofReferences : ofAccounts).remember(keyId, key),
    staleOr(keyId, error) {
      try {
        return ofAccounts.staleOr(keyId, error)
      } catch {
        return ofReferences.staleOr(keyId, error)
      }
    },
  }
}

/** Concurrent calls for one account share a read. */
function sealReader(
  store: KeyStore,
  keys: Memory<StoredKey>,
  { nowMs, ...parts }: Pick<SealParts, 'references' | 'keysOf'> & { readonly nowMs: () => number },
): PersonalData['of'] {
  const seals = createMemory<AccountSeal>(nowMs)
  const reading = new Map<string, Promise<AccountSeal>>()

  async function readSeal(accountId: string, month: string): Promise<AccountSeal> {
    const stored = await store.ensure(accountId, ['', month])
    for (const key of stored) keys.remember(key.keyId, key)
    const keyOf = (period: string) => stored.find((each) => each.period === period)?.key ?? null
    return createAccountSeal({ accountId, key: keyOf(''), monthKey: keyOf(month), ...parts })
  }

  return async (accountId) => {
    const month = new Date(nowMs()).toISOString().slice(0, 7)
    const place = `${month} ${accountId}`
    const known = seals.fresh(place)
    if (known !== undefined) return known
    const under = reading.get(place)
    if (under !== undefined) return await under
    const read = readSeal(accountId, month)
      .then((seal) => seals.remember(place, seal))
      .catch((error: unknown) => seals.staleOr(place, error))
      .finally(() => reading.delete(place))
    reading.set(place, read)
    return await read
  }
}

/** Returns the keys that are found. Keys that no table has are left out. */
async function readKeys(
  store: KeyStore,
  keys: Memory<StoredKey>,
  ids: Iterable<string>,
): Promise<Map<string, StoredKey>> {
  const found = new Map<string, StoredKey>()
  const old: string[] = []
  for (const id of ids) {
    const known = keys.fresh(id)
    if (known === undefined) old.push(id)
    else found.set(id, known)
  }
  try {
    for (const key of await store.byId(old)) found.set(key.keyId, keys.remember(key.keyId, key))
  } catch (error) {
    for (const id of old) found.set(id, keys.staleOr(id, error))
  }
  return found
}

/** The value with all its sealed texts opened, whatever their account. */
export async function openValue<T>(personalData: PersonalData, value: T): Promise<T> {
  return JSON.parse(await personalData.openJson(JSON.stringify(value))) as T
}
