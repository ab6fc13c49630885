/**
 * Personal data of accounts: sealed where it enters the platform, opened where it is shown to who may read it. Between them, in the log,
 * in tables and in files, there are sealed texts alone.
 */
import { existsSync } from 'node:fs'
import type { Database } from '@cupel/postgres'
import { mastersInUse, openKeyStore, type KeyStore, type StoredKey } from './key-store.js'
import { PersonalDataKeysError } from './master-keys.js'
import { createMemory, type Memory } from './memory.js'
import { exchangeSealed, keyIdOf, keyIdsIn, maySeal, type OpenedText } from './sealed-text.js'

/** What is shown in place of a text whose key was destroyed. */
export const ERASED = 'erased'
/** Client addresses of an account whose sealed form is remembered. */
const MAX_ADDRESSES = 64

/** Seals the personal data of one account. */
export interface AccountSeal {
  seal(text: string): string
  /** The same for a client address: its key is that of the month, which has a retention of its own. */
  sealClientAddress(address: string): string
  /** As `seal`, for a text that may be sealed already: one that the platform made, never one of a caller. */
  sealOnce(text: string): string
}

export interface PersonalData {
  /** False where the installation has no keys: everything is stored as it is. */
  readonly isSealing: boolean
  /** Rejects where the keys cannot be read. */
  of(accountId: string): Promise<AccountSeal>
  /** What a stored text can be that equals this one: sealed under each key of the account, and plain from before keys were used. */
  spellings(accountId: string, text: string): Promise<string[]>
  /** The JSON text with all sealed texts of the account opened; those of any account where none is given. */
  openJson(json: string, accountId?: string): Promise<string>
  /** The same for text that is no JSON. */
  openText(text: string, accountId?: string): Promise<string>
  /** A sealed text with what shows that it is that of its plain one; null where it cannot be opened. */
  openingOf(sealed: string): Promise<OpenedText | null>
}

const unchanged = (text: string): string => text
const plainSeal: AccountSeal = { seal: unchanged, sealClientAddress: unchanged, sealOnce: unchanged }

/** For an installation without keys, and for readers without them: sealed texts stay sealed. */
export const noPersonalDataKeys: PersonalData = {
  isSealing: false,
  of: () => Promise.resolve(plainSeal),
  spellings: (_accountId, text) => Promise.resolve([text]),
  openJson: (json) => Promise.resolve(json),
  openText: (text) => Promise.resolve(text),
  openingOf: () => Promise.resolve(null),
}

export interface PersonalDataOptions {
  readonly database: Database
  /** File with the keys of the installation; undefined for none. */
  readonly keysFile: string | undefined
  /** Without the file: false for readers, who then leave sealed texts sealed. True by default. */
  readonly isRequired?: boolean
  readonly nowMs?: () => number
}

/** Rejects with PersonalDataKeysError where personal data is sealed and the file with its keys is missing or another one. */
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
  const keys = createMemory<StoredKey>(nowMs)
  const keysOf = (ids: Iterable<string>): Promise<Map<string, StoredKey>> => readKeys(store, keys, ids)

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
    of: sealReader(store, keys, nowMs),
    async spellings(accountId, text) {
      const stored = await store.ofAccount(accountId)
      return [text, ...stored.flatMap(({ key }) => (key === null ? [] : [key.seal(text)]))]
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

/** Calls of one moment for one account share a read. */
function sealReader(store: KeyStore, keys: Memory<StoredKey>, nowMs: () => number): PersonalData['of'] {
  const seals = createMemory<AccountSeal>(nowMs)
  const reading = new Map<string, Promise<AccountSeal>>()

  async function readSeal(accountId: string, month: string): Promise<AccountSeal> {
    const stored = await store.ensure(accountId, ['', month])
    for (const key of stored) keys.remember(key.keyId, key)
    const keyOf = (period: string) => stored.find((each) => each.period === period)?.key ?? null
    return sealWith(keyOf(''), keyOf(month))
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

/** Those that are known; one that no table has is not among them. */
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

/** The value with all sealed texts within it opened; of any account. */
export async function openValue<T>(personalData: PersonalData, value: T): Promise<T> {
  return JSON.parse(await personalData.openJson(JSON.stringify(value))) as T
}

/** Of an account that was erased nothing is kept: its texts are the word that says so. */
function sealWith(key: StoredKey['key'], monthKey: StoredKey['key']): AccountSeal {
  const addresses = new Map<string, string>()
  const seal = (text: string): string => (text === '' ? '' : (key?.seal(text) ?? ERASED))
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
  }
}
