import { noMetrics, silentLogger, topicOf } from '@cupel/contracts'
import { until } from '@cupel/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openFixture, type Fixture } from '../test/fixture.js'
import { event, jsonCodec } from '../test/json-codec.js'
import {
  outboxBacklog,
  outboxType,
  startOutboxRelay,
  writeOutbox,
  type OutboxEvent,
  type OutboxRelay,
} from './index.js'
import { type OutboxRelayOptions } from './outbox-relay.js'

const TOPIC = topicOf('AccountCreated')

let fixture: Fixture
const relays: OutboxRelay[] = []
beforeEach(async () => {
  fixture = await openFixture()
})
afterEach(async () => {
  await Promise.all(relays.splice(0).map((relay) => relay.stop()))
  await fixture.close()
})

function relay(more: Partial<OutboxRelayOptions> = {}): OutboxRelay {
  const { database, log } = fixture
  const basics = {
    database,
    log,
    codec: jsonCodec,
    logger: silentLogger,
    metrics: noMetrics,
    lookIntervalMs: 10,
  }
  const started = startOutboxRelay({ ...basics, ...more })
  relays.push(started)
  return started
}

const created = (id: string): OutboxEvent<'AccountCreated'> => ({
  ...event('AccountCreated', id, {
    accountId: id,
    name: `Ä "${id}" \\ 1.0`,
    createdAt: '2026-11-21T09:00:00.000Z',
  }),
  type: outboxType('AccountCreated'),
})

async function change(...ids: string[]): Promise<void> {
  await fixture.database.transaction({ at: 'test' }, async (transaction) => {
    for (const id of ids) await writeOutbox(transaction, created(id), { topic: TOPIC, key: id })
  })
}

const appendedIds = (): string[] => fixture.log.appended.map((record) => jsonCodec.decode(record).envelope.id)

test('events reach the log in the order of their changes, exactly as they were written', async () => {
  await change('a', 'b')
  relay()
  await change('c')
  await until(() => expect(appendedIds()).toEqual(['a', 'b', 'c']))
  expect(fixture.log.appended.map((record) => jsonCodec.decode(record))).toEqual(['a', 'b', 'c'].map(created))
  expect(fixture.log.appended.map((record) => [record.topic, record.key])).toEqual(
    ['a', 'b', 'c'].map((id) => [TOPIC, id]),
  )
  await until(async () => expect((await outboxBacklog(fixture.database)).waiting).toBe(0))
})

test('a relay that rests is woken by a change', async () => {
  relay({ lookIntervalMs: 3_600_000 })
  await change('a')
  await until(() => expect(appendedIds()).toEqual(['a']))
  await change('b')
  await until(() => expect(appendedIds()).toEqual(['a', 'b']))
})

test('a change that is rolled back leaves no event', async () => {
  const attempt = fixture.database.transaction({ at: 'test' }, async (transaction) => {
    await writeOutbox(transaction, created('a'), { topic: TOPIC, key: 'a' })
    throw new Error('no')
  })
  await expect(attempt).rejects.toThrow('no')
  await change('b')
  relay()
  await until(() => expect(appendedIds()).toEqual(['b']))
})

test('a row that becomes visible after later ones is still relayed', async () => {
  relay()
  let commit: () => void = () => undefined
  const held = new Promise<void>((resolve) => (commit = resolve))
  let written: () => void = () => undefined
  const hasWritten = new Promise<void>((resolve) => (written = resolve))
  const slow = fixture.database.transaction({ at: 'test' }, async (transaction) => {
    await writeOutbox(transaction, created('early'), { topic: TOPIC, key: 'early' })
    written()
    await held
  })
  await hasWritten
  await change('late')
  await until(() => expect(appendedIds()).toEqual(['late']))
  commit()
  await slow
  await until(() => expect(appendedIds()).toEqual(['late', 'early']))
})

test('a lost acknowledgement is repeated byte for byte', async () => {
  await change('a', 'b')
  fixture.log.failAfterAppend = new Error('the acknowledgement was lost')
  const started = relay()
  await until(() => expect(started.error()).toMatch(/acknowledgement was lost/))
  expect((await outboxBacklog(fixture.database)).waiting).toBe(2)
  fixture.log.failAfterAppend = null
  await until(async () => expect((await outboxBacklog(fixture.database)).waiting).toBe(0))
  await until(() => expect(started.error()).toBeNull())
  const bytes = fixture.log.appended.map((record) =>
    JSON.stringify([record.key, record.headers, String(record.value)]),
  )
  expect(bytes.length).toBeGreaterThan(2)
  expect(new Set(bytes).size).toBe(2)
})

test('of several relays one works at a time, so nothing is sent twice or out of order', async () => {
  const ids = Array.from({ length: 500 }, (_, n) => `e${n}`)
  relay()
  relay()
  relay()
  for (let from = 0; from < ids.length; from += 50) await change(...ids.slice(from, from + 50))
  await until(async () => expect((await outboxBacklog(fixture.database)).waiting).toBe(0))
  expect(appendedIds()).toEqual(ids)
})

test('relayed rows are deleted in time, waiting ones never', async () => {
  await change('a')
  const started = relay({ keepRelayedMs: 0, sweepIntervalMs: 10 })
  const rows = async (): Promise<number> =>
    (await fixture.database.query('SELECT 1 FROM projection.outbox')).length
  await until(async () => expect(await rows()).toBe(0))
  expect(appendedIds()).toEqual(['a'])
  await started.stop()
  await change('b')
  fixture.log.failAfterAppend = new Error('away')
  const failing = relay({ keepRelayedMs: 0, sweepIntervalMs: 1 })
  await until(() => expect(failing.error()).toBe('away'))
  expect(await rows()).toBe(1)
})
