import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DomainEvent } from '@cupel/contracts'
import { openTestInstallation, type TestInstallation } from '@cupel/testkit/installation'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  endRetention,
  ensureMasterKeys,
  ERASED,
  eraseAccount,
  findErasures,
  keyIdOf,
  noPersonalDataKeys,
  openPersonalData,
  openValue,
  personalDataMigrations,
  replayErasure,
  rotateMasterKey,
  type PersonalData,
} from '../src/index.js'
import { KEYS_REFRESH_MS } from '../src/memory.js'
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

async function erasures(accountId: string): Promise<DomainEvent<'PersonalDataErased'>['data'][]> {
  const rows = await installation.database.query<{ event: DomainEvent<'PersonalDataErased'> }>(
    `SELECT event FROM projection.outbox WHERE event ->> 'type' = 'PersonalDataErased' ORDER BY seq`,
  )
  return rows.map(({ event }) => event.data).filter((data) => data.accountId === accountId)
}

test('every process seals a text of an account alike, also those that make its key at once', async () => {
  const accountId = newAccount()
  const processes = await Promise.all(Array.from({ length: 5 }, open))
  const seals = await Promise.all(processes.map((each) => each.of(accountId)))
  expect(new Set(seals.map((seal) => seal.seal('case 7'))).size).toBe(1)
  const sealed = seals[0]!.seal('case 7')
  expect(await (await open()).openJson(JSON.stringify({ a: sealed }))).toBe('{"a":"case 7"}')
  expect(seals[0]!.sealOnce(sealed)).toBe(sealed)
  expect(seals[0]!.seal('')).toBe('')
  expect(await openValue(processes[1]!, [seals[0]!.seal('"\\\n“')])).toEqual(['"\\\n“'])
})

test('a text of another account, of nobody or changed stays sealed', async () => {
  const [one, other] = [newAccount(), newAccount()]
  const personalData = await open()
  const sealed = (await personalData.of(one)).seal('case 7')
  expect(await personalData.openJson(sealed, other)).toBe(sealed)
  expect(await personalData.openJson(sealed, one)).toBe('case 7')
  const unknown = sealed.replace(keyIdOf(sealed)!, '0'.repeat(16))
  expect(await personalData.openText(unknown)).toBe(unknown)
  expect(await personalData.openText(`${sealed.slice(0, -1)}${sealed.endsWith('A') ? 'B' : 'A'}`)).toContain(
    'sealed1.',
  )
  expect(await noPersonalDataKeys.openJson(sealed)).toBe(sealed)
})

test('after an erasure nothing of the account is opened, kept or given a key again, and it is told once', async () => {
  const [accountId, other] = [newAccount(), newAccount()]
  const [personalData, running] = await Promise.all([open(), open()])
  const seal = await running.of(accountId)
  const sealed = [seal.seal('case 7'), seal.sealClientAddress('192.0.2.1')]
  const kept = (await personalData.of(other)).seal('kept')
  await running.openText(sealed.join())

  const erasure = await eraseAccount(installation.database, order(accountId))
  expect(erasure.isNew).toBe(true)
  expect(erasure.keyIds).toEqual(sealed.map((text) => keyIdOf(text)!).sort())
  expect(await (await open()).openText([...sealed, kept].join())).toBe(`${ERASED},${ERASED},kept`)
  // A process that has read the key soon forgets it.
  nowMs += KEYS_REFRESH_MS
  expect(await running.openText(sealed.join())).toBe(`${ERASED},${ERASED}`)
  const after = await running.of(accountId)
  expect([after.seal('new'), after.sealClientAddress('192.0.2.2'), after.sealOnce(sealed[0]!)]).toEqual([
    ...[ERASED, ERASED, ERASED],
  ])
  expect(await running.openingOf(sealed[0]!)).toBeNull()
  expect(await running.spellings(accountId, 'case 7')).toEqual(['case 7'])

  const again = await eraseAccount(installation.database, order(accountId))
  expect(again).toEqual({ keyIds: [], erasedAt: erasure.erasedAt, isNew: false })
  expect(await findErasures(installation.database, [accountId, other])).toEqual(
    new Map([[accountId, erasure.erasedAt]]),
  )
  expect(await erasures(accountId)).toEqual([
    expect.objectContaining({
      accountId,
      keyIds: erasure.keyIds,
      erasedBy: 'operator:test',
      plainRecords: 0,
    }),
  ])
})

test('an account that never sealed anything can be erased, and gets no key afterwards', async () => {
  const accountId = newAccount()
  expect(await eraseAccount(installation.database, order(accountId))).toMatchObject({ isNew: true })
  expect((await (await open()).of(accountId)).seal('case 7')).toBe(ERASED)
  expect(await eraseAccount(installation.database, order(accountId))).toMatchObject({ isNew: false })
})

test('keys that a backup brings back are destroyed again as the log tells', async () => {
  const [accountId, other] = [newAccount(), newAccount()]
  const sealed = (await (await open()).of(accountId)).seal('case 7')
  const kept = (await (await open()).of(other)).seal('kept')
  const told = { scope: 'account', accountId, keyIds: [keyIdOf(sealed)!] }
  expect(await replayErasure(installation.database, told)).toBe(true)
  expect(await (await open()).openText(`${sealed} ${kept}`)).toBe(`${ERASED} kept`)
  expect(await replayErasure(installation.database, told)).toBe(false)
})

test('the client addresses of a month are unreadable once its retention is over, and references stay', async () => {
  const accountId = newAccount()
  nowMs = Date.now()
  const seal = await (await open()).of(accountId)
  const [reference, address] = [seal.seal('case 7'), seal.sealClientAddress('192.0.2.1')]
  await installation.database.execute(
    `UPDATE personal_data.account_key SET period = '2020-01' WHERE account_id = $1 AND period <> ''`,
    [accountId],
  )
  // The name of its month is bound to the key, so a moved key no longer works.
  await expect((await open()).openText(address)).rejects.toThrow('was changed')
  expect(await endRetention(installation.database, { days: 100_000, by: 'test' })).toEqual([])
  expect(await endRetention(installation.database, { days: 30, by: 'test' })).toEqual(['2020-01'])
  expect(await (await open()).openText(`${address} ${reference}`)).toBe(`${ERASED} case 7`)
  expect(await endRetention(installation.database, { days: 0, by: 'test' })).toEqual([])
  expect(await erasures('')).toEqual([
    expect.objectContaining({
      period: '2020-01',
      keyIds: [keyIdOf(address)],
      reason: 'retention of 30 days',
    }),
  ])
})

test('another key of the installation makes earlier copies of the table useless, and running processes go on', async () => {
  const accountId = newAccount()
  const running = await open()
  const sealed = (await running.of(accountId)).seal('case 7')
  const copy = await installation.database.query<{ wrapped: Buffer; masterId: string }>(
    `SELECT wrapped, master_id AS "masterId" FROM personal_data.account_key WHERE account_id = $1 AND period = ''`,
    [accountId],
  )
  const { masterId, rewrapped } = await rotateMasterKey(installation.database, keysFile)
  expect(rewrapped).toBeGreaterThan(1)
  expect(readFileSync(keysFile, 'utf8')).not.toContain(copy[0]!.masterId)
  expect(statSync(keysFile).mode & 0o077).toBe(0)
  nowMs += KEYS_REFRESH_MS
  expect(await running.openText(sealed)).toBe('case 7')
  const later = newAccount()
  expect(await (await open()).openText((await running.of(later)).seal('later'))).toBe('later')
  // The contents of a backup.
  await installation.database.execute(
    `UPDATE personal_data.account_key SET wrapped = $2, master_id = $3 WHERE account_id = $1 AND period = ''`,
    [accountId, copy[0]!.wrapped, copy[0]!.masterId],
  )
  await expect(open()).rejects.toThrow('restore the file')
  await installation.database.execute(
    `UPDATE personal_data.account_key SET master_id = $2 WHERE account_id = $1 AND period = ''`,
    [accountId, masterId],
  )
  await expect((await open()).openText(sealed)).rejects.toThrow('was changed')
  await installation.database.execute('DELETE FROM personal_data.account_key WHERE account_id = $1', [
    accountId,
  ])
})

test('where something is sealed, a process without the file or with another one does not start', async () => {
  await (await open()).of(newAccount())
  const { database } = installation
  await expect(openPersonalData({ database, keysFile: undefined })).rejects.toThrow(
    'CUPEL_PERSONAL_DATA_KEYS_FILE',
  )
  await expect(openPersonalData({ database, keysFile: `${keysFile}.none` })).rejects.toThrow('ENOENT')
  const foreign = join(installation.folder, 'foreign.json')
  ensureMasterKeys(foreign)
  await expect(openPersonalData({ database, keysFile: foreign })).rejects.toThrow('restore the file')
  writeFileSync(foreign, '{"active":"x","keys":["secret"]}')
  await expect(openPersonalData({ database, keysFile: foreign })).rejects.toThrow(
    /^(?!.*secret).*is not a file of keys/s,
  )
  // A reader without keys sees sealed texts.
  const reader = await openPersonalData({ database, keysFile: `${keysFile}.none`, isRequired: false })
  expect(reader.isSealing).toBe(false)
})

const killed = (
  change: Parameters<typeof diesChanging>[1],
  point: string,
  accountId: string,
): Promise<void> =>
  diesChanging({ connectionString: installation.connectionString, keysFile }, change, `${point}:1`, accountId)

test.each(['before', 'after'])(
  'killed %s a commit, keys are made once, and what is sealed stays readable',
  async (side) => {
    nowMs = Date.now()
    const accountId = newAccount()
    await killed('make', `${side}:personal-data.key`, accountId)
    const sealed = (await (await open()).of(accountId)).seal('case 7')
    await killed('rotate', `${side}:personal-data.rotate`, accountId)
    expect(await (await open()).openText(sealed)).toBe('case 7')
    await rotateMasterKey(installation.database, keysFile)
    expect(await (await open()).openText(sealed)).toBe('case 7')
    expect((JSON.parse(readFileSync(keysFile, 'utf8')) as { keys: string[] }).keys).toHaveLength(1)
  },
)

test.each(['before', 'after'])(
  'killed %s a commit, an erasure and the end of a retention are done once, and told once',
  async (side) => {
    const accountId = newAccount()
    const sealed = (await (await open()).of(accountId)).seal('case 7')
    await killed('erase', `${side}:personal-data.erase`, accountId)
    expect(await (await open()).openText(sealed)).toBe(side === 'before' ? 'case 7' : ERASED)
    await eraseAccount(installation.database, order(accountId))
    expect(await (await open()).openText(sealed)).toBe(ERASED)
    expect(await erasures(accountId)).toHaveLength(1)

    const month = side === 'before' ? '2019-01' : '2019-02'
    await installation.database.execute(
      `INSERT INTO personal_data.account_key (account_id, period, key_id, master_id, wrapped) VALUES ($1, $2, $3, 'none', '')`,
      [newAccount(), month, `${month}-0123456789`.replaceAll('-', '').padEnd(16, '0')],
    )
    await killed('retain', `${side}:personal-data.retention`, accountId)
    await endRetention(installation.database, { days: 30, by: 'test' })
    expect((await erasures('')).filter(({ period }) => period === month)).toHaveLength(1)
  },
)
