import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase, type Database } from '@cupel/postgres'
import { createTestDatabase, migratedTemplate } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  addRecordKey,
  ensureRecordKeys,
  MAC_HEADER,
  openAuthenticLog,
  readRecordKeys,
  registerRecordKeys,
  useRecordKey,
  type AuthenticLog,
  type RecordKeys,
} from '../authentic/index.js'
import { eventLogMigrations } from '../migrations.js'
import type { Forgery, LogBatch, LogRecord, NewRecord } from '../port.js'
import {
  CASE_TIMEOUT_MS,
  checkpointStore,
  contractContext,
  newGroup,
  readAll,
  record,
  subscribeOptions,
  textOf,
  until,
  type ContractContext,
  type LogUnderTest,
} from './log-under-test.contract.js'

export function authenticContract(start: () => Promise<LogUnderTest>): void {
  describe('authentic records', { timeout: CASE_TIMEOUT_MS }, () => {
    const context = contractContext(start)
    let folder: string
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'cupel-record-keys-'))
    })
    afterAll(async () => await rm(folder, { recursive: true }))
    const newKeyFile = (): string => join(folder, `${randomBytes(6).toString('hex')}.json`)

    test('every reader is given what the installation wrote, and nothing that another producer wrote', async () => {
      const { topic, log } = await openInstallation(context, newKeyFile())
      const [tailed, batches] = [[] as LogRecord[], [] as LogBatch[]]
      await log.tail({
        topic,
        partition: 0,
        onRecords: (found) => void tailed.push(...found),
        onStopped: fail,
      })
      await subscribe(log, topic, batches)
      await log.unchecked.append('test', [record(topic, 'forged', { partition: 0 })])
      await log.append('test', [record(topic, 'true', { partition: 0 })])
      expect((await readAll(log, topic, 0)).map(textOf)).toEqual(['true'])
      await until(() => expect(tailed.map(textOf)).toEqual(['true']))
      await until(() => expect(batches.flatMap(({ records }) => records.map(textOf))).toEqual(['true']))
      expect(batches.flatMap(({ forged = [] }) => forged)).toMatchObject([
        { forgery: 'no-mac', record: { offset: 0, key: 'forged' } },
      ])
      expect((await readAll(log.unchecked, topic, 0)).map(textOf)).toEqual(['forged', 'true'])
    })

    test.for<{
      what: string
      forge: (genuine: NewRecord, other: string) => NewRecord
      forgery: Forgery | null
    }>([
      { what: 'repeated as it is', forge: (genuine) => genuine, forgery: null },
      { what: 'of another topic', forge: (genuine, topic) => ({ ...genuine, topic }), forgery: 'wrong-mac' },
      { what: 'under another key', forge: (genuine) => ({ ...genuine, key: 'b' }), forgery: 'wrong-mac' },
      {
        what: 'with another event id',
        forge: (genuine) => withHeader(genuine, 'ce_id', 'b'),
        forgery: 'wrong-mac',
      },
      {
        what: 'of another type',
        forge: (genuine) => withHeader(genuine, 'ce_type', 'b'),
        forgery: 'wrong-mac',
      },
      {
        what: 'with one header more',
        forge: (genuine) => withHeader(genuine, 'x', ''),
        forgery: 'wrong-mac',
      },
      {
        what: 'with one byte changed',
        forge: (genuine) => ({ ...genuine, value: Buffer.from('B') }),
        forgery: 'wrong-mac',
      },
      {
        what: 'with a byte more',
        forge: (genuine) => ({ ...genuine, value: Buffer.from('aa') }),
        forgery: 'wrong-mac',
      },
      {
        what: 'with a key nobody has',
        forge: (genuine) => withHeader(genuine, MAC_HEADER, `0a1b2c3d4e5f.${'a'.repeat(22)}`),
        forgery: 'unknown-key',
      },
      {
        what: 'with an empty MAC',
        forge: (genuine) => withHeader(genuine, MAC_HEADER, ''),
        forgery: 'unknown-key',
      },
      {
        what: 'with a MAC cut off',
        forge: (genuine) => withHeader(genuine, MAC_HEADER, genuine.headers[MAC_HEADER]!.slice(0, -1)),
        forgery: 'wrong-mac',
      },
      { what: 'without its MAC', forge: withoutMac, forgery: 'no-mac' },
    ])('a record $what', async ({ forge, forgery }) => {
      const { topic, log, newTopic } = await openInstallation(context, newKeyFile())
      await log.append('test', [record(topic, 'a', { partition: 0 })])
      const [genuine] = await readAll(log, topic, 0)
      const { key, value, headers } = genuine!
      const forged = forge({ topic, partition: 0, key, value, headers }, await newTopic())
      const [position] = await log.unchecked.append('test', [forged])
      const written = (await readAll(log.unchecked, forged.topic, 0)).at(-1)!
      const check = await log.forgeryCheck()
      expect(check(written)).toBe(forgery)
      const counted = (await readAll(log, forged.topic, 0)).map(({ offset }) => offset)
      expect(counted.includes(position!.offset)).toBe(forgery === null)
    })

    test('an auditor without keys sees that a record has no MAC, and appends nothing', async () => {
      const { topic, log, reopen, write } = await openInstallation(context, newKeyFile())
      await log.append('test', [record(topic, 'true', { partition: 0 })])
      await write('forged')
      const auditor = await reopen(null)
      expect(await textsOf(auditor, topic)).toEqual(['true'])
      await expect(auditor.append('test', [record(topic, 'a')])).rejects.toThrow('without record keys')
    })

    test('a log that is not of this installation is not read', async () => {
      const { topic, reopen, register, database } = await openInstallation(context, newKeyFile())
      await database.execute(`UPDATE log.own_log SET log_id = 'another'`)
      await register(undefined, { joins: false })
      const log = await reopen()
      await expect(textsOf(log, topic)).rejects.toThrow('The log of this installation is another')
      await database.execute('DELETE FROM log.own_log')
      await expect(textsOf(await reopen(), topic)).rejects.toThrow('is not registered')
      await register(undefined, { joins: false })
      expect(await textsOf(await reopen(), topic)).toEqual([])
    })

    test('every record of a topic that is made later must have a MAC', async () => {
      const { log, newTopic } = await openInstallation(context, newKeyFile())
      const later = await newTopic()
      await log.unchecked.append('test', [record(later, 'forged', { partition: 0 })])
      await log.append('test', [record(later, 'true', { partition: 0 })])
      expect(await textsOf(log, later)).toEqual(['true'])
    })

    test('keys are exchanged without a record that any process refuses', async () => {
      const file = newKeyFile()
      const { topic, log, reopen, register } = await openInstallation(context, file)
      await log.append('test', [record(topic, 'with the first key', { partition: 0 })])
      const next = addRecordKey(file)
      const knowing = await reopen(readRecordKeys(file))
      await expect(reopen({ ...readRecordKeys(file), activeId: next })).rejects.toThrow('not registered')
      await register(readRecordKeys(file))
      useRecordKey(file, next)
      const using = await reopen(readRecordKeys(file))
      await using.append('test', [record(topic, 'with the next key', { partition: 0 })])
      const texts = ['with the first key', 'with the next key']
      expect(await textsOf(knowing, topic)).toEqual(texts)
      expect(await textsOf(using, topic)).toEqual(texts)
      expect((await readAll(using, topic, 0)).at(-1)!.headers[MAC_HEADER]).toContain(`${next}.`)
    })

    test('a process that would take true records for forged ones does not begin', async () => {
      const { reopen, register } = await openInstallation(context, newKeyFile())
      const others = ensureRecordKeys(newKeyFile())
      await expect(reopen(others)).rejects.toThrow('lacks')
      await expect(register(others)).rejects.toThrow('lacks')
    })
  })
}

const fail = (error: Error): never => {
  throw error
}

const textsOf = async (log: AuthenticLog, topic: string): Promise<string[]> =>
  (await readAll(log, topic, 0)).map(textOf)

function withHeader(genuine: NewRecord, name: string, value: string): NewRecord {
  return { ...genuine, headers: { ...genuine.headers, [name]: value } }
}

function withoutMac(genuine: NewRecord): NewRecord {
  const headers = { ...genuine.headers }
  delete headers[MAC_HEADER]
  return { ...genuine, headers }
}

async function subscribe(log: AuthenticLog, topic: string, batches: LogBatch[]): Promise<void> {
  const store = checkpointStore(await log.identity())
  await log.subscribe(
    subscribeOptions({
      group: newGroup(),
      topics: [topic],
      checkpoint: store.load,
      handle: async (batch) => {
        batches.push(batch)
        store.advance(batch)
        return undefined
      },
    }),
  )
}

interface Installation {
  readonly topic: string
  readonly log: AuthenticLog
  readonly database: Database
  newTopic(): Promise<string>
  /** Opens the log as a process that starts now does. */
  reopen(keys?: RecordKeys | null): Promise<AuthenticLog>
  register(keys?: RecordKeys, options?: { readonly joins: boolean }): Promise<void>
  /** Appends as a producer without keys. */
  write(text: string): Promise<void>
}

/** A topic of one partition, and a database with the registered keys. */
async function openInstallation(context: ContractContext, keyFile: string): Promise<Installation> {
  const keys = ensureRecordKeys(keyFile)
  const { connectionString, drop } = await createTestDatabase(await migratedTemplate([eventLogMigrations]))
  const database: Database = openDatabase({
    connectionString,
    maxConnections: 4,
    applicationName: 'contract',
  })
  const opened: AuthenticLog[] = []
  const reopen = async (own: RecordKeys | null = keys): Promise<AuthenticLog> => {
    const log = await openAuthenticLog({ log: await context.open(), keys: own, database })
    opened.push(log)
    return log
  }
  const topic = await context.newTopic(1)
  const register = async (own = keys, options = {}): Promise<void> =>
    void (await registerRecordKeys({ ...options, database, log: context.log(), keys: own }))
  await register()
  context.onClose(async () => {
    await Promise.all(opened.map((log) => log.close()))
    await database.close()
    await drop()
  })
  const log = await reopen()
  return {
    ...{ topic, database, reopen, register, log },
    newTopic: () => context.newTopic(1),
    write: async (text) => void (await log.unchecked.append('test', [record(topic, text, { partition: 0 })])),
  }
}
