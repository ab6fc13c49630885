/** Faults of the store of published files, and what follows from them: never half a file, and never a checkpoint over a newer one. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StoreRefusedError, StoreUnavailableError } from '@cupel/kit/object-store'
import { errorOf, openScriptedStore, until, type ScriptedStore, type StoreFault } from '@cupel/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  publishedBucket,
  publishedFolder,
  TransparencyStoppedError,
  type PublishedStore,
} from '../../src/transparency/index.js'

const CHECKPOINT = 'one/checkpoint'

let folder: string
let server: ScriptedStore
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cupel-published-'))
  server = await openScriptedStore()
})
afterEach(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

const bucket = (prefix = 'published'): PublishedStore =>
  publishedBucket(`s3://${server.bucket}/${prefix}`, server.connection)
const textOf = async (store: PublishedStore, path: string): Promise<string | null> =>
  (await store.read(path))?.toString() ?? null

describe.each(['folder', 'bucket'])('published files in a %s', (kind) => {
  const open = (): PublishedStore => (kind === 'folder' ? publishedFolder(join(folder, 'p')) : bucket())

  test('are those that were written, and nothing else', async () => {
    const store = open()
    expect(await textOf(store, CHECKPOINT)).toBeNull()
    expect(await store.list('one/tile')).toEqual([])
    await store.remove('one/tile')
    for (const name of ['2', '1', '3']) await store.write(`one/tile/${name}`, Buffer.from(name))
    await store.write('one/tiles', Buffer.from('other'))
    expect(await store.list('one/tile')).toEqual(['1', '2', '3'])
    const within = store.within('one')
    expect(within.place).toBe(`${store.place}/one`)
    expect(await textOf(within, 'tile/1')).toBe('1')
    await within.remove('tile')
    expect(await store.list('one/tile')).toEqual([])
    expect(await textOf(store, 'one/tiles')).toBe('other')
  })

  test('have tiles that never change: equal bytes are taken, and others are refused by name', async () => {
    const [store, other] = [open(), open()]
    await store.write('one/tile/1', Buffer.from('of the first writer'))
    await other.write('one/tile/1', Buffer.from('of the first writer'))
    const refused = other.write('one/tile/1', Buffer.from('of another one'))
    await expect(refused).rejects.toThrow(TransparencyStoppedError)
    await expect(refused).rejects.toThrow(
      `${store.place}/one/tile/1 has other bytes than those of the database`,
    )
    expect(await textOf(store, 'one/tile/1')).toBe('of the first writer')
  })

  test('have a checkpoint that replaces only the one that its writer has seen', async () => {
    const [store, other] = [open(), open()]
    expect(await store.replace(CHECKPOINT, 'of 1 leaf', 'of no leaf')).toBe(false)
    expect(await textOf(store, CHECKPOINT)).toBeNull()
    expect(await store.replace(CHECKPOINT, 'of 1 leaf', null)).toBe(true)
    expect(await other.replace(CHECKPOINT, 'of 2 other leaves', null)).toBe(false)
    expect(await other.replace(CHECKPOINT, 'of 2 leaves', 'of 1 leaf')).toBe(true)
    expect(await store.replace(CHECKPOINT, 'of 3 other leaves', 'of 1 leaf')).toBe(false)
    expect(await textOf(store, CHECKPOINT)).toBe('of 2 leaves')
    expect(await store.list('')).toEqual(kind === 'folder' ? ['one'] : [])
  })
})

/** Makes the calls of one method to one key fail. */
function failing(method: string, path: string, faultOf: (attempt: number) => StoreFault | null): void {
  server.fault = (asked) =>
    asked.method === method && asked.path === `/${server.bucket}/published/${path}`
      ? faultOf(asked.attempt)
      : null
}

test('two writers of one moment put one checkpoint', async () => {
  const [one, two] = [bucket(), bucket()]
  await one.replace(CHECKPOINT, 'first', null)
  let isFirst = true
  server.fault = ({ method, path }) => {
    // The other writer puts its own after this one has looked, and before it puts.
    if (method !== 'PUT' || !path.endsWith(CHECKPOINT) || !isFirst) return null
    isFirst = false
    server.objects.set(`published/${CHECKPOINT}`, Buffer.from('of the other writer'))
    return null
  }
  expect(await two.replace(CHECKPOINT, 'of this writer', 'first')).toBe(false)
  isFirst = true
  server.objects.delete(`published/${CHECKPOINT}`)
  expect(await two.replace(CHECKPOINT, 'of this writer', null)).toBe(false)
  expect(await textOf(one, CHECKPOINT)).toBe('of the other writer')
})

test('a checkpoint that is removed meanwhile is not put back', async () => {
  const store = bucket()
  await store.replace(CHECKPOINT, 'first', null)
  failing('PUT', CHECKPOINT, (attempt) => {
    if (attempt === 2) server.objects.delete(`published/${CHECKPOINT}`)
    return null
  })
  expect(await store.replace(CHECKPOINT, 'second', 'first')).toBe(false)
  expect(await textOf(store, CHECKPOINT)).toBeNull()
})

test('two writers of one moment put one tile', async () => {
  failing('PUT', 'one/tile', () => {
    // The other writer is first.
    server.objects.set('published/one/tile', Buffer.from('of the other writer'))
    return null
  })
  await expect(bucket().write('one/tile', Buffer.from('of this writer'))).rejects.toThrow('has other bytes')
  expect(await textOf(bucket(), 'one/tile')).toBe('of the other writer')
})

test('a call ends at a signal, also in the pause before its next attempt', async () => {
  for (const [fault, times] of [
    [{ kind: 'silence' }, { idleMs: 600_000, attemptMs: 600_000 }],
    [
      { kind: 'status', status: 503 },
      { pauseMs: 600_000, maxPauseMs: 600_000 },
    ],
  ] as const) {
    const connection = { ...server.connection, times: { ...server.connection.times, ...times } }
    const store = publishedBucket(`s3://${server.bucket}/published`, connection)
    const stopping = new AbortController()
    server.calls.length = 0
    server.fault = () => fault
    const read = store.until(stopping.signal).within('one').read('checkpoint')
    await until(() => expect(server.calls).toHaveLength(1))
    stopping.abort()
    await expect(read).rejects.toThrow('aborted')
    server.fault = () => null
    // The store itself goes on.
    expect(await store.read(CHECKPOINT)).toBeNull()
  }
})

test('a store may lose its answer: what it kept counts as put', async () => {
  const store = bucket()
  failing('PUT', 'one/tile', (attempt) => (attempt === 1 ? { kind: 'lost' } : null))
  await store.write('one/tile', Buffer.from('1'))
  failing('PUT', CHECKPOINT, (attempt) => (attempt % 2 === 1 ? { kind: 'lost' } : null))
  expect(await store.replace(CHECKPOINT, 'first', null)).toBe(true)
  expect(await store.replace(CHECKPOINT, 'second', 'first')).toBe(true)
  expect(await textOf(store, CHECKPOINT)).toBe('second')
})

test.each<StoreFault>([
  { kind: 'status', status: 503, body: errorOf('SlowDown').toString() },
  { kind: 'reset' },
])('a store that goes on failing is not one without files: %j', async (fault) => {
  const store = bucket()
  await store.replace(CHECKPOINT, 'first', null)
  server.fault = () => fault
  await expect(store.read(CHECKPOINT)).rejects.toThrow(StoreUnavailableError)
  await expect(store.list('one')).rejects.toThrow(StoreUnavailableError)
  await expect(store.write('one/tile', Buffer.from('1'))).rejects.toThrow(StoreUnavailableError)
  await expect(store.replace(CHECKPOINT, 'second', 'first')).rejects.toThrow(StoreUnavailableError)
  // The projector looks again after seconds.
  expect(server.calls.filter((call) => call.startsWith('GET') && call.endsWith(CHECKPOINT))).toHaveLength(7)
})

test('a store that is silent is left after few attempts', async () => {
  server.fault = () => ({ kind: 'silence' })
  await expect(bucket().read(CHECKPOINT)).rejects.toThrow(/did not answer .* in 3 attempts/)
})

test.each([errorOf('NoSuchBucket').toString(), '<html>Not found</html>'])(
  'a store without the bucket is not one without files: %s',
  async (body) => {
    server.fault = () => ({ kind: 'status', status: 404, body })
    await expect(bucket().read(CHECKPOINT)).rejects.toThrow(StoreRefusedError)
    await expect(bucket().replace(CHECKPOINT, 'first', null)).rejects.toThrow(StoreRefusedError)
  },
)

test('a store that replaces files is refused before a checkpoint is written, also when it is tried again', async () => {
  const store = bucket()
  server.fault = () => ({ kind: 'unconditional' })
  for (let tries = 0; tries < 2; tries += 1)
    await expect(store.replace(CHECKPOINT, 'first', null)).rejects.toThrow(/does not keep files/)
  await expect(store.write('one/tile', Buffer.from('1'))).rejects.toThrow(/does not keep files/)
  expect(server.objects.size).toBe(0)
  server.fault = () => null
  expect(await store.replace(CHECKPOINT, 'first', null)).toBe(true)
})

test('a store that refuses a condition that holds is told, and not taken for another writer', async () => {
  const store = bucket()
  failing('PUT', 'one/tile', () => ({ kind: 'status', status: 412 }))
  await expect(store.write('one/tile', Buffer.from('1'))).rejects.toThrow(StoreRefusedError)
  failing('PUT', CHECKPOINT, (attempt) => (attempt === 2 ? null : { kind: 'status', status: 412 }))
  await expect(store.replace(CHECKPOINT, 'first', null)).rejects.toThrow(/under a condition that holds/)
  expect(await store.replace(CHECKPOINT, 'first', null)).toBe(true)
  await expect(store.replace(CHECKPOINT, 'second', 'first')).rejects.toThrow(StoreRefusedError)
  expect(await textOf(store, CHECKPOINT)).toBe('first')
})

test('several installations begin side by side in one store', async () => {
  const others: Promise<boolean>[] = []
  server.fault = () => {
    // One begins with each of the first calls, so that each meets another step of those before it.
    if (others.length < 20) others.push(bucket().replace(`${others.length}/checkpoint`, 'first', null))
    return null
  }
  expect(await bucket().replace(CHECKPOINT, 'first', null)).toBe(true)
  expect(new Set(await Promise.all(others))).toEqual(new Set([true]))
})

test.each(['s3://', 's3://A_B/x', 's3://bucket/../x'])('%s is not a store of published files', (place) => {
  expect(() => publishedBucket(place, server.connection)).toThrow(RangeError)
})
