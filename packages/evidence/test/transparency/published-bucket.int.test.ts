/** A transparency log whose files are in an object store: what the store loses, sets back or does not answer is seen, and nothing is forked. */
import { noMetrics, silentLogger } from '@cupel/contracts'
import { openScriptedStore, until, type ScriptedStore } from '@cupel/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  compareTransparency,
  extendLog,
  lostRecords,
  NO_WITNESSES,
  publishedBucket,
  startTransparency,
  storeOfLog,
  takeBackLeaves,
} from '../../src/transparency/index.js'
import { naiveRoot } from './naive-tree.js'
import {
  accounts,
  backUpRows,
  openTransparentLog,
  publishedEntries,
  report,
  restoreRows,
  topics,
  type TransparentLog,
} from './transparent-log.js'

let server: ScriptedStore
let own: TransparentLog
beforeEach(async () => {
  server = await openScriptedStore()
  own = await openTransparentLog(undefined, publishedBucket(`s3://${server.bucket}/p`, server.connection))
})
afterEach(async () => {
  await own.close()
  await server.close()
})

const keyOf = async (name: string): Promise<string> => {
  const { place } = storeOfLog(own.store, await own.installation.log.identity())
  return `${place.slice(`s3://${server.bucket}/`.length)}/${name}`
}
const sizeOf = async (): Promise<number> => Number((await own.file('checkpoint')).toString().split('\n')[1])

/** The sentences of a comparison like the one of `cupel audit verify`. */
async function faults(): Promise<readonly string[]> {
  const { log, database, codec } = own.installation
  const { places } = await own.parts()
  const compared = await compareTransparency({
    ...{ log, codec, database, places, store: storeOfLog(own.store, await log.identity()), copies: [] },
    ...{ verifier: own.keys.verifier, witnesses: NO_WITNESSES, accepted: [], endsEarlier: false },
    ...{ checksTimes: true, maxProblems: 10, publishGraceMs: 0 },
  })
  return compared!.faults.map(({ detail }) => detail)
}

function putBack(objects: ReadonlyMap<string, Buffer>): void {
  server.objects.clear()
  for (const [key, bytes] of objects) server.objects.set(key, bytes)
}

test('the store holds the tree, without the narrower tiles of a full one, and the comparison finds no fault', async () => {
  await own.installation.append(...accounts(200))
  await own.extend()
  await own.installation.append(...accounts(100), report('a'.repeat(16)))
  await own.extend()
  const root = naiveRoot(await publishedEntries(own, 301)).toString('base64')
  expect((await own.file('checkpoint')).toString().split('\n').slice(1, 3)).toEqual(['301', root])
  const tiles = await keyOf('tile/')
  const named = [...server.objects.keys()].map((key) => key.slice(tiles.length)).toSorted()
  const level0 = named.filter((name) => name.startsWith('0/'))
  expect(level0).toEqual(['0/000', '0/001.p/45'])
  expect(await faults()).toEqual([])
})

test('files that were set back, cut off or removed are named, and the next checkpoint fills them again', async () => {
  await own.installation.append(...accounts(10))
  await own.extend()
  const older = new Map(server.objects)
  await own.installation.append(...accounts(10))
  await own.extend()
  const newer = new Map(server.objects)
  putBack(older)
  expect(await faults()).toEqual([expect.stringContaining('older files were put there')])
  putBack(newer)
  const tile = await keyOf('tile/entries/000.p/20')
  server.objects.set(tile, newer.get(tile)!.subarray(0, 100))
  expect(await faults()).toEqual(
    expect.arrayContaining([expect.stringContaining(`${own.store.place}/transparency/`)]),
  )
  server.objects.delete(tile)
  expect(await faults()).toEqual(expect.arrayContaining([expect.stringContaining('000.p/20 is gone')]))
  putBack(older)
  await own.installation.append(...accounts(1))
  await own.extend()
  expect(await faults()).toEqual([])
  const checkpoint = await keyOf('checkpoint')
  server.objects.set(checkpoint, server.objects.get(checkpoint)!.subarray(0, 60))
  await own.installation.append(...accounts(1))
  await expect(own.extend()).rejects.toThrow('is not a checkpoint that this installation signed')
  expect(server.objects.get(checkpoint)).toHaveLength(60)
})

test('an older database is refused, and takes its leaves back from the store', async () => {
  const { append, database, log } = own.installation
  await append(...accounts(10))
  await own.extend()
  await backUpRows(own)
  await append(...accounts(5))
  await own.extend()
  await restoreRows(own)
  await expect(own.extend()).rejects.toThrow(/holds a transparency log of 15 leaves, and the database has 10/)
  const lost = () => lostRecords({ log, database, stores: [own.store], keys: own.keys })
  expect(await lost()).toContain('an older database was restored')
  // An outage of the store prevents no start.
  server.fault = () => ({ kind: 'status', status: 503 })
  expect(await lost()).toBeNull()
  server.fault = () => null
  const parts = await own.parts()
  const taken = await database.transaction({ at: 'transparency.sign' }, (transaction) =>
    takeBackLeaves(transaction, parts),
  )
  expect(taken).toEqual({ leaves: 5, lost: 0 })
  expect(await faults()).toEqual([])
})

test('of two databases that publish at one moment one goes on, and the other stops', async () => {
  const { append } = own.installation
  await append(...accounts(10))
  await own.extend()
  await backUpRows(own)
  const before = new Map(server.objects)
  await append(...accounts(5))
  await own.extend()
  const key = await keyOf('checkpoint')
  const ofOther = server.objects.get(key)!
  await restoreRows(own)
  putBack(before)
  await append(report('b'.repeat(16)), ...accounts(20))
  await extendLog({ ...(await own.parts()), stores: [] })
  server.fault = ({ method, path }) => {
    if (method === 'PUT' && path.endsWith('/checkpoint')) server.objects.set(key, ofOther)
    return null
  }
  expect(await own.publish()).toBe(false)
  expect(server.objects.get(key)).toEqual(ofOther)
  await append(...accounts(1))
  await expect(own.extend()).rejects.toThrow('holds another transparency log than the database')
  expect(server.objects.get(key)).toEqual(ofOther)
})

test('of two databases that publish other tiles at one moment, the one that comes second replaces none', async () => {
  const { append } = own.installation
  await append(...accounts(10))
  await own.extend()
  await backUpRows(own)
  const before = new Map(server.objects)
  await append(...accounts(260))
  await own.extend()
  const ofOther = new Map(server.objects)
  await restoreRows(own)
  putBack(before)
  await append(report('b'.repeat(16)), ...accounts(300))
  await extendLog({ ...(await own.parts()), stores: [] })
  const tile = await keyOf('tile/entries/000')
  server.fault = ({ method, path }) => {
    if (method === 'PUT' && path.endsWith(tile)) server.objects.set(tile, ofOther.get(tile)!)
    return null
  }
  await expect(own.publish()).rejects.toThrow(`${tile} has other bytes than those of the database`)
  expect(server.objects.get(tile)).toEqual(ofOther.get(tile))
  expect(await sizeOf()).toBe(10)
})

test('narrower tiles go when no writer waits for them, and a store that keeps them prevents no further checkpoint', async () => {
  const { append, database } = own.installation
  await append(...accounts(200))
  await own.extend()
  await append(...accounts(100))
  server.fault = ({ method, path }) =>
    method === 'DELETE' && path.includes('.p/') ? { kind: 'silence' } : null
  const publishing = own.extend()
  const deletes = () => server.calls.filter((call) => call.startsWith('DELETE') && call.includes('.p/'))
  await until(() => expect(deletes()).not.toEqual([]))
  const [lock] = await database.query<{ free: boolean }>(
    `SELECT pg_try_advisory_xact_lock(hashtextextended('cupel.transparency', 0)) AS free`,
  )
  expect(lock!.free).toBe(true)
  await expect(publishing).rejects.toThrow('did not answer DELETE')
  expect(await sizeOf()).toBe(300)
  await append(...accounts(1))
  await own.extend()
  expect(await sizeOf()).toBe(301)
})

test('a stop waits for no store that is silent', async () => {
  const { connection } = server
  const patient = { ...connection, times: { ...connection.times, idleMs: 600_000, attemptMs: 600_000 } }
  const stores = [publishedBucket(`s3://${server.bucket}/p`, patient)]
  await own.installation.append(...accounts(3))
  server.fault = () => ({ kind: 'silence' })
  const { deps } = own.installation
  const settings = { keys: own.keys, stores, intervalMs: 10 }
  const running = startTransparency({
    ...{ ...deps, ...settings, topics, logger: silentLogger, metrics: noMetrics },
  })
  await until(() => expect(server.calls).not.toEqual([]))
  await running.stop()
  expect(running.error()).toBeNull()
})

test('while the store does not answer, no leaf is given and the reason is told, until it answers', async () => {
  const { append, deps, database } = own.installation
  const settings = { keys: own.keys, stores: [own.store], intervalMs: 10 }
  const running = startTransparency({
    ...{ ...deps, ...settings, topics, logger: silentLogger, metrics: noMetrics },
  })
  own.installation.onClose(() => running.stop())
  await append(...accounts(3))
  await until(async () => expect(await sizeOf()).toBe(3))
  server.fault = () => ({ kind: 'status', status: 503 })
  await append(...accounts(1))
  await until(() => expect(running.error()).toMatch(/^The store 127\.0\.0\.1:\d+ did not answer GET /))
  const [row] = await database.query<{ stopped: string }>('SELECT stopped FROM transparency.log')
  expect(row!.stopped).toBe(running.error())
  server.fault = () => null
  await until(async () => expect(await sizeOf()).toBe(4))
  await until(() => expect(running.error()).toBeNull())
})

test('a store that answers reads and no writes is told too, and the checkpoint of the database follows later', async () => {
  const { append, deps } = own.installation
  await append(...accounts(3))
  await own.extend()
  server.fault = ({ method }) => (method === 'PUT' ? { kind: 'status', status: 403 } : null)
  const settings = { keys: own.keys, stores: [own.store], intervalMs: 10 }
  const running = startTransparency({
    ...{ ...deps, ...settings, topics, logger: silentLogger, metrics: noMetrics },
  })
  own.installation.onClose(() => running.stop())
  await append(...accounts(1))
  await until(() => expect(running.error()).toMatch(/refused PUT .* with 403/))
  expect(await sizeOf()).toBe(3)
  server.fault = () => null
  await until(async () => expect(await sizeOf()).toBe(4))
  await until(() => expect(running.error()).toBeNull())
})
