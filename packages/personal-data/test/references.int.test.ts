import { join } from 'node:path'
import type { DomainEvent } from '@cupel/contracts'
import { openDatabase } from '@cupel/postgres'
import { openTestInstallation, type TestInstallation } from '@cupel/testkit/installation'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  ensureMasterKeys,
  ERASED,
  eraseAccount,
  eraseReference,
  keyIdOf,
  openPersonalData,
  personalDataMigrations,
  replayErasure,
  rotateMasterKey,
  type PersonalData,
} from '../src/index.js'
import { KEYS_REFRESH_MS } from '../src/memory.js'
import { type Erasure } from '../src/erase.js'
import { diesChanging } from './dies-changing.js'

let installation: TestInstallation
let keysFile: string
let nowMs = Date.now()
let accounts = 0

beforeAll(async () => {
  installation = await openTestInstallation({ migrations: [personalDataMigrations] })
  keysFile = join(installation.folder, 'personal-data-keys.json')
  ensureMasterKeys(keysFile)
})
afterAll(() => installation.close())

/** Opens it like a separate process, which shares no memory with others. */
const open = (): Promise<PersonalData> =>
  openPersonalData({ database: installation.database, keysFile, nowMs: () => nowMs })
const newAccount = (): string => `acc_${(accounts += 1)}`
const order = (accountId: string) => ({ accountId, by: 'operator:test', reason: 'test', plainRecords: 0 })

async function sealed(personalData: PersonalData, accountId: string, reference: string): Promise<string> {
  const [text] = await (await personalData.of(accountId)).sealReferences([reference])
  return text!
}

async function erase(accountId: string, reference: string): Promise<Erasure> {
  const keyId = await (await open()).referenceKeyId(accountId, reference)
  return await eraseReference(installation.database, { ...order(accountId), keyId: keyId! })
}

async function erasures(accountId: string): Promise<DomainEvent<'PersonalDataErased'>['data'][]> {
  const rows = await installation.database.query<{ event: DomainEvent<'PersonalDataErased'> }>(
    `SELECT event FROM projection.outbox WHERE event ->> 'type' = 'PersonalDataErased' ORDER BY seq`,
  )
  return rows.map(({ event }) => event.data).filter((data) => data.accountId === accountId)
}

test('each reference has a key of its own, and every process seals it alike, also those that make its key at once', async () => {
  const [accountId, other] = [newAccount(), newAccount()]
  const processes = await Promise.all(Array.from({ length: 5 }, open))
  const seals = await Promise.all(processes.map((each) => each.of(accountId)))
  const all = await Promise.all(seals.map((seal) => seal.sealReferences(['one', 'two', '', 'one'])))
  expect(new Set(all.map(String)).size).toBe(1)
  const [one, two, none, again] = all[0]!
  expect([none, again]).toEqual(['', one])
  const of = await sealed(processes[0]!, other, 'one')
  expect(new Set([one, two, of, seals[0]!.seal('one')].map((text) => keyIdOf(text!))).size).toBe(4)
  expect(await (await open()).openText(`${one} ${two}`, accountId)).toBe('one two')
  expect(await (await open()).openText(of, accountId)).toBe(of)
  expect(await (await open()).referenceSpellings(accountId, 'one')).toEqual(['one', one])
})

test('an erased reference is read as erased and found by nobody, and the others of the account stay', async () => {
  const accountId = newAccount()
  const running = await open()
  const [gone, kept] = [await sealed(running, accountId, 'gone'), await sealed(running, accountId, 'kept')]
  const seal = await running.of(accountId)
  const [note, otherNote, plainNote] = [
    await seal.sealBeside(gone, 'note'),
    await seal.sealBeside(kept, 'other note'),
    await seal.sealBeside(null, 'plain note'),
  ]
  const all = [gone, note, kept, otherNote, plainNote].join()
  expect(await running.openText(all)).toBe('gone,note,kept,other note,plain note')

  const erasure = await erase(accountId, 'gone')
  expect(erasure).toMatchObject({ isNew: true, keyIds: [keyIdOf(gone)] })
  const read = 'erased,erased,kept,other note,plain note'
  expect(await (await open()).openText(all)).toBe(read)
  expect(await running.referenceSpellings(accountId, 'gone')).toEqual(['gone'])
  // A process that has read the key soon forgets it.
  nowMs += KEYS_REFRESH_MS - 1
  expect(await running.openText(gone)).toBe('gone')
  nowMs += 1
  expect(await running.openText(all)).toBe(read)
  expect(await running.openingOf(gone)).toBeNull()
  expect(await (await running.of(accountId)).sealBeside(gone, 'later')).toMatch(
    `sealed1.${keyIdOf(plainNote)}.`,
  )
  expect(await running.openText(await (await running.of(accountId)).sealBeside(gone, 'later'))).toBe('later')
  const rows = await installation.database.query(
    `SELECT wrapped, reference_hash, master_id FROM personal_data.reference_key WHERE key_id = $1`,
    [keyIdOf(gone)],
  )
  expect(rows).toEqual([{ wrapped: null, reference_hash: null, master_id: '' }])
  expect(await erasures(accountId)).toEqual([
    expect.objectContaining({ scope: 'reference', keyIds: [keyIdOf(gone)], erasedAt: erasure.erasedAt }),
  ])
  expect(JSON.stringify(await erasures(accountId))).not.toContain('gone')
})

test('a reference that is used again after its erasure gets another key', async () => {
  const accountId = newAccount()
  const running = await open()
  const before = await sealed(running, accountId, 'again')
  const keyId = keyIdOf(before)!
  await erase(accountId, 'again')
  nowMs += KEYS_REFRESH_MS
  const after = await sealed(running, accountId, 'again')
  expect(keyIdOf(after)).not.toBe(keyId)
  expect(await running.openText(`${before},${after}`)).toBe(`${ERASED},again`)
  expect(await eraseReference(installation.database, { ...order(accountId), keyId })).toMatchObject({
    isNew: false,
    keyIds: [],
  })
  expect(await running.openText(after)).toBe('again')
  await expect(
    eraseReference(installation.database, { ...order(newAccount()), keyId: keyIdOf(after)! }),
  ).rejects.toThrow('has no key')
})

test('the erasure of an account erases its references, told in records that fit, and keeps no later one', async () => {
  const [accountId, other] = [newAccount(), newAccount()]
  const running = await open()
  const kept = await sealed(running, other, 'kept')
  const references = Array.from({ length: 5_100 }, (_, index) => `customer ${index}`)
  const texts = await (await running.of(accountId)).sealReferences(references)
  expect(new Set(texts.map(keyIdOf)).size).toBe(references.length)
  const erasure = await eraseAccount(installation.database, order(accountId))
  expect(erasure.keyIds).toEqual(expect.arrayContaining(texts.map(keyIdOf)))
  const told = await erasures(accountId)
  expect(told.flatMap(({ keyIds }) => keyIds)).toEqual(erasure.keyIds)
  expect(Math.max(...told.map((data) => JSON.stringify(data).length))).toBeLessThan(200_000)
  nowMs += KEYS_REFRESH_MS
  expect(await running.openText(`${texts[0]},${texts.at(-1)},${kept}`)).toBe(`${ERASED},${ERASED},kept`)
  expect(await sealed(running, accountId, 'new')).toBe(ERASED)
})

test('a process that knows an account does not keep references of it after the account is erased', async () => {
  const accountId = newAccount()
  const running = await open()
  // The seal was read before the erasure and is used after it.
  const seal = await running.of(accountId)
  await eraseAccount(installation.database, order(accountId))
  expect(await seal.sealReferences(['new'])).toEqual([ERASED])
})

test('references are found after the key of the installation is exchanged, and an earlier copy of a row is useless', async () => {
  const accountId = newAccount()
  const running = await open()
  const reference = await sealed(running, accountId, 'moved')
  const copyOf = () =>
    installation.database.query<{ wrapped: Buffer; hash: Buffer }>(
      'SELECT wrapped, reference_hash AS hash FROM personal_data.reference_key WHERE key_id = $1',
      [keyIdOf(reference)],
    )
  const [before] = await copyOf()
  await rotateMasterKey(installation.database, keysFile)
  const [after] = await copyOf()
  expect([after!.hash.equals(before!.hash), after!.wrapped.equals(before!.wrapped)]).toEqual([false, false])
  expect(await running.referenceSpellings(accountId, 'moved')).toEqual(['moved', reference])
  nowMs += KEYS_REFRESH_MS
  expect(await sealed(running, accountId, 'moved')).toBe(reference)
  expect(await running.openText(reference)).toBe('moved')
  await installation.database.execute(
    'UPDATE personal_data.reference_key SET wrapped = $2 WHERE key_id = $1',
    [keyIdOf(reference), before!.wrapped],
  )
  await expect((await open()).openText(reference)).rejects.toThrow('was changed')
  await installation.database.execute('DELETE FROM personal_data.reference_key WHERE key_id = $1', [
    keyIdOf(reference),
  ])
})

test('keys of references that a backup brings back are destroyed again as the log tells, and no others', async () => {
  const accountId = newAccount()
  const [gone, kept] = [
    await sealed(await open(), accountId, 'gone'),
    await sealed(await open(), accountId, 'kept'),
  ]
  const lost = 'sealed1.00112233445566aa.' + 'A'.repeat(64)
  const told = { scope: 'reference', accountId, keyIds: [keyIdOf(gone)!, keyIdOf(lost)!] }
  expect(await (await open()).openText(lost)).toBe(lost)
  expect(await replayErasure(installation.database, told)).toBe(true)
  expect(await (await open()).openText(`${gone},${kept},${lost}`)).toBe(`${ERASED},kept,${ERASED}`)
  expect(await replayErasure(installation.database, told)).toBe(false)
})

test('calls of one moment share the statements that make their keys', async () => {
  let commits = 0
  const database = openDatabase({
    connectionString: installation.connectionString,
    ...{ maxConnections: 4, applicationName: 'test' },
    onRoundTrip: (statement) => (commits += statement === 'COMMIT' ? 1 : 0),
  })
  const running = await openPersonalData({ database, keysFile })
  const seal = await running.of(newAccount())
  commits = 0
  const texts = await Promise.all(
    Array.from({ length: 50 }, (_, index) => seal.sealReferences([`customer ${index}`])),
  )
  expect(new Set(texts.flat()).size).toBe(50)
  expect(commits).toBeLessThanOrEqual(2)
  commits = 0
  await Promise.all(Array.from({ length: 50 }, (_, index) => seal.sealReferences([`customer ${index}`])))
  expect(commits).toBe(0)
  await database.close()
  // An unknown reference cannot be sealed without the database. It is not stored unsealed.
  await expect(seal.sealReferences(['unknown'])).rejects.toThrow()
})

const killed = (
  change: Parameters<typeof diesChanging>[1],
  point: string,
  accountId: string,
): Promise<void> =>
  diesChanging({ connectionString: installation.connectionString, keysFile }, change, `${point}:1`, accountId)

test.each(['before', 'after'])(
  'killed %s a commit, the key of a reference is made once, exchanged whole, and destroyed and told once',
  async (side) => {
    const accountId = newAccount()
    await (await open()).of(accountId)
    await killed('make-reference', `${side}:personal-data.key`, accountId)
    const text = await sealed(await open(), accountId, 'case 7')
    await killed('rotate', `${side}:personal-data.rotate`, accountId)
    expect(await sealed(await open(), accountId, 'case 7')).toBe(text)
    await rotateMasterKey(installation.database, keysFile)
    expect(await (await open()).openText(text)).toBe('case 7')
    await killed('erase-reference', `${side}:personal-data.erase`, accountId)
    expect(await (await open()).openText(text)).toBe(side === 'before' ? 'case 7' : ERASED)
    if (side === 'before') await erase(accountId, 'case 7')
    expect(await (await open()).openText(text)).toBe(ERASED)
    expect(await erasures(accountId)).toHaveLength(1)
  },
)
