import { join } from 'node:path'
import { startOutboxRelay, outboxBacklog } from '@cupel/projections'
import { noMetrics, silentLogger, topicOf } from '@cupel/contracts'
import { openPersonalData } from '@cupel/personal-data'
import { until } from '@cupel/testkit'
import { testEvent } from '@cupel/testkit/installation'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callCupel, openCommandLine, type CommandLine, type Said } from '../command-line.js'
import { cupel as cupelProcess } from '../started.js'

interface Account {
  readonly account_id: string
}
interface Erased {
  readonly is_new: boolean
  readonly erased_at: string | null
  readonly destroyed_keys: number
  readonly revoked_keys: number
  readonly plain_records: number
}

let commandLine: CommandLine
let environment: Readonly<Record<string, string>>
/** An account from before the installation had keys. */
let old: string
beforeAll(async () => {
  commandLine = await openCommandLine()
  old = (await commandLine.json<Account>('accounts', 'create', 'Plain name')).account_id
  await commandLine.json('keys', 'create', '--account', old, '--scope', 'read-only', '--plan', 'pro')
  const file = join(commandLine.folder, 'personal-data-keys.json')
  environment = { ...commandLine.environment, CUPEL_PERSONAL_DATA_KEYS_FILE: file }
  expect((await cupel('accounts', 'make-personal-data-key')).error).toBeNull()
})
afterAll(() => commandLine.close())

const cupel = (...args: string[]): Promise<Said> => callCupel(environment, args)

async function answered<T>(...args: string[]): Promise<T> {
  const said = await cupel(...args, '--json')
  expect(said.error).toBeNull()
  return JSON.parse(said.out) as T
}

async function newAccount(name: string): Promise<string> {
  return (await answered<Account>('accounts', 'create', name)).account_id
}

/** Resolves once everything in the outbox is in the log. */
async function relayed(): Promise<void> {
  const { log, codec, database } = commandLine
  const relay = startOutboxRelay({ log, codec, database, logger: silentLogger, metrics: noMetrics })
  await until(async () => expect((await outboxBacklog(database)).waiting).toBe(0))
  await relay.stop()
}

async function erasuresOf(accountId: string) {
  const records = await commandLine.records(topicOf('PersonalDataErased'))
  return records.flatMap((record) => {
    const event = commandLine.codec.decodeAs('PersonalDataErased', record)
    return event?.data.accountId === accountId ? [event.data] : []
  })
}

/** The reasons of its erasures, which must be sealed in the log, as an operator reads them. */
async function reasonsOf(accountId: string): Promise<string[]> {
  const reasons = (await erasuresOf(accountId)).map(({ reason }) => reason)
  for (const reason of reasons) expect(reason).toMatch(/^sealed1\./)
  const personalData = await opened()
  return await Promise.all(reasons.map((reason) => personalData.openText(reason)))
}

test('records from before personal data was sealed are counted, told to the operator and to auditors, and stay', async () => {
  await relayed()
  const looked = await answered<Erased>('accounts', 'erase', old, '--dry-run')
  expect(looked).toMatchObject({ is_new: false, erased_at: null, revoked_keys: 1, plain_records: 2 })
  const { out } = await cupel('accounts', 'erase', old, '--reason', 'request 1')
  expect(out).toContain(
    '2 records of the account hold personal data as it is, from before it was sealed. They are NOT erased.',
  )
  await relayed()
  expect(await erasuresOf(old)).toMatchObject([{ plainRecords: 2 }])
  expect(await reasonsOf(old)).toEqual(['request 1'])
  const { items } = await answered<{ items: { account_id: string; name: string }[] }>('accounts', 'list')
  expect(items.find(({ account_id }) => account_id === old)).toMatchObject({ name: 'erased' })
})

test.each(['before', 'after'])(
  'killed %s its commit, it is called again: keys are destroyed and told once',
  async (side) => {
    const accountId = await newAccount(`Killed ${side}`)
    const [stored] = await commandLine.database.query<{ name: string }>(
      'SELECT name FROM access.account WHERE account_id = $1',
      [accountId],
    )
    const args = ['accounts', 'erase', accountId, '--reason', 'request 2', '--json']
    const killed = { ...environment, CUPEL_FAILPOINT: `${side}:personal-data.erase:1` }
    expect(
      (await cupelProcess({ home: commandLine.folder, environment: killed }, ...args)).exitCode,
    ).toBeNull()
    const again = await answered<Erased>('accounts', 'erase', accountId, '--reason', 'request 2')
    expect(again.is_new).toBe(side === 'before')
    await relayed()
    expect(await erasuresOf(accountId)).toHaveLength(1)
    const keysFile = environment['CUPEL_PERSONAL_DATA_KEYS_FILE']
    const personalData = await openPersonalData({ database: commandLine.database, keysFile })
    expect(stored!.name).toContain('sealed1.')
    expect(await personalData.openText(stored!.name)).toBe('erased')
  },
)

test('an unknown account is not found, and an erasure without a reason is refused', async () => {
  const unknown = await cupel('accounts', 'erase', 'acc_nobody', '--reason', 'request 3')
  expect(unknown.error).toMatchObject({ message: 'There is no account acc_nobody.' })
  expect((await cupel('accounts', 'erase', old)).error).toMatchObject({
    message: expect.stringContaining('--reason must say why') as string,
  })
})

const keysFileOf = (): string => environment['CUPEL_PERSONAL_DATA_KEYS_FILE']!
const opened = () => openPersonalData({ database: commandLine.database, keysFile: keysFileOf() })

async function sealedReference(accountId: string, reference: string): Promise<string> {
  const seal = await (await opened()).of(accountId)
  return (await seal.sealReferences([reference]))[0]!
}

/** Appends the event of a watch. */
async function watched(accountId: string, reference: string): Promise<void> {
  const watch = { watchId: 'wat_1', address: '0x1', canonicalAddress: '0x1', chain: 'ETH', lookupKey: 'k' }
  const data = {
    ...{
      batchId: 'wb_1',
      accountId,
      livemode: true,
      reportPageUrl: '',
      createdBy: 'key',
      actor: '',
      call: null,
    },
    watches: [
      { ...watch, candidateChains: [], reference, until: null, thresholdHundredths: 100, digest: false },
    ],
    createdAt: new Date().toISOString(),
  }
  const event = testEvent('WatchesCreated', 'wb_1', data)
  await commandLine.log.append('test', [
    commandLine.codec.encode(event, { topic: topicOf('WatchesCreated'), key: accountId }),
  ])
}

test('one reference of an account is erased: its records are counted, also those that hold it as it is, and it is named nowhere', async () => {
  const accountId = await newAccount('Has customers')
  const [gone, kept] = [
    await sealedReference(accountId, 'customer-gone'),
    await sealedReference(accountId, 'customer-kept'),
  ]
  for (const reference of [gone, gone, kept, 'customer-gone']) await watched(accountId, reference)
  const args = ['accounts', 'erase', accountId, '--reference', 'customer-gone']
  const looked = await cupel(...args, '--dry-run', '--json')
  const counts = { erased_records: [{ event: 'WatchesCreated', count: 2 }], plain_records: 1 }
  expect(JSON.parse(looked.out)).toMatchObject({ dry_run: true, is_new: false, erased_at: null, ...counts })
  expect(await (await opened()).openText(gone)).toBe('customer-gone')
  const done = await cupel(...args, '--reason', 'request 4')
  expect(done.out).toContain('1 records hold the reference as it is, from before it was sealed. They are NOT')
  expect([looked, done].map(({ out, notes }) => out + notes).join()).not.toContain('customer-gone')
  expect(await (await opened()).openText(`${gone} ${kept}`)).toBe('erased customer-kept')
  await relayed()
  expect(await erasuresOf(accountId)).toMatchObject([
    { scope: 'reference', plainRecords: 1, keyIds: [expect.any(String)] },
  ])
  expect(await reasonsOf(accountId)).toEqual(['request 4'])
  const again = await cupel(...args, '--reason', 'request 4')
  expect(again.error).toMatchObject({
    exitCode: 3,
    message: expect.stringContaining('it was never used, or it was erased before') as string,
  })
  // The account itself exists, and so do the values sealed with its key.
  const { items } = await answered<{ items: { account_id: string; name: string }[] }>('accounts', 'list')
  expect(items.find(({ account_id }) => account_id === accountId)).toMatchObject({ name: 'Has customers' })
})

test('a reference of another account, a misspelt one, and one without keys to open it are not erased', async () => {
  const [accountId, other] = [await newAccount('Own'), await newAccount('Other')]
  const sealed = await sealedReference(other, 'customer-1')
  for (const reference of ['customer-1', 'Customer-1', '', sealed])
    expect(
      (await cupel('accounts', 'erase', accountId, '--reference', reference, '--reason', 'r')).error,
    ).toMatchObject({ exitCode: 3 })
  expect(
    (await cupel('accounts', 'erase', 'acc_nobody', '--reference', 'customer-1', '--reason', 'r')).error,
  ).toMatchObject({ message: 'There is no account acc_nobody.' })
  const withoutReason = await cupel('accounts', 'erase', other, '--reference', 'customer-1')
  expect(withoutReason.error).toMatchObject({ message: expect.stringContaining('--reason') as string })
  const keyless = { ...environment, CUPEL_PERSONAL_DATA_KEYS_FILE: '' }
  const args = ['accounts', 'erase', other, '--reference', 'customer-1', '--reason', 'r']
  expect((await callCupel(keyless, args)).error).not.toBeNull()
  expect(await (await opened()).openText(sealed)).toBe('customer-1')
})

test('names of accounts and keys are listed as they were given, and nothing of them is stored', async () => {
  const accountId = await newAccount('Listed name')
  const key = await answered<{ key_id: string; name: string }>(
    ...[
      'keys',
      'create',
      '--account',
      accountId,
      '--scope',
      'read-only',
      '--plan',
      'pro',
      '--name',
      'Key name',
    ],
  )
  const successor = await answered<{ name: string }>('keys', 'rotate', key.key_id)
  expect([key.name, successor.name]).toEqual(['Key name', 'Key name'])
  expect((await cupel('keys', 'list', '--account', accountId)).out).toContain('Key name')
  const rows = await commandLine.database.query(
    `SELECT a::text FROM access.account a UNION ALL SELECT k::text FROM access.api_key k
     UNION ALL SELECT o::text FROM projection.outbox o`,
  )
  const stored = JSON.stringify(rows)
  expect(stored).toContain('sealed1.')
  for (const name of ['Listed name', 'Key name']) expect(stored).not.toContain(name)
})
