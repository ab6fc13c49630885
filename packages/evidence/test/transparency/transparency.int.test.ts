import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { topicOf, noMetrics, silentLogger } from '@cupel/contracts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  extendLog,
  logKey,
  publishFiles,
  readCheckpoint,
  readCosigning,
  readProof,
  readWitnessSettings,
  startTransparency,
  startWitnesses,
  takeBackLeaves,
  transparencyFolder,
  verifyReport,
  type WitnessSettings,
} from '../../src/transparency/index.js'
import { type TakenBack } from '../../src/transparency/take-back.js'
import { verifierKey } from '@cupel/signing'
import { startTestWitness, until } from '@cupel/testkit'
import { diesAt } from '@cupel/testkit/installation'
import { naiveRoot } from './naive-tree.js'
import {
  accounts,
  backUpRows,
  documentOf,
  openTransparentLog,
  publishedEntries,
  report,
  restoreRows,
  topics,
  type TransparentLog,
} from './transparent-log.js'

let own: TransparentLog
beforeEach(async () => {
  own = await openTransparentLog()
})
afterEach(() => own.close())

const checkpoint = async (): Promise<string[]> => (await own.file('checkpoint')).toString().split('\n')
const proofOf = async (reportId: string): Promise<string> => {
  const found = await readProof(own.installation.database, { reportId, document: documentOf(reportId) })
  if (found.kind !== 'proof') throw new Error(`${reportId}: ${found.kind}`)
  return found.text
}
const provenIndex = async (reportId: string, proof: string): Promise<number> =>
  (await verifyReport(Buffer.from(documentOf(reportId)), Buffer.from(proof), own.keys.publicKeys)).index
/** Offsets of the records of a topic, in the order of their leaves. */
const offsetsOf = async (topic: string): Promise<number[]> =>
  (
    await own.installation.database.query<{ offset: number }>(
      `SELECT record_offset AS "offset" FROM transparency.leaf JOIN transparency.place USING (number, place)
       WHERE topic = $1 ORDER BY index`,
      [topic],
    )
  ).map(({ offset }) => offset)
const ID = (at: number): string => at.toString(16).padStart(16, '0')

test('every event has one leaf, in the order of topics, partitions and offsets, and the files hold the tree', async () => {
  const { append, log } = own.installation
  await append(...accounts(300), report(ID(1)))
  expect(await own.extend()).toEqual({ leaves: 301, hasMore: false })
  await append(...accounts(5), report(ID(2)))
  expect(await own.extend()).toEqual({ leaves: 6, hasMore: false })
  expect(await own.extend()).toEqual({ leaves: 0, hasMore: false })

  expect(await offsetsOf(topicOf('AccountCreated'))).toEqual(Array.from({ length: 305 }, (_, at) => at))
  expect(await offsetsOf(topicOf('ReportGenerated'))).toEqual([0, 0])

  const [origin, size, root] = await checkpoint()
  expect([origin, size]).toEqual([`${own.keys.signer.key.name}/transparency/${await log.identity()}`, '307'])
  expect(root).toBe(naiveRoot(await publishedEntries(own, 307)).toString('base64'))
  expect((await own.file('checkpoint')).toString()).toContain(`\n\n— ${origin} `)
  // The partial tiles of the first full tile were removed when it was full.
  const tiles = join(transparencyFolder(own.folder, await log.identity()), 'tile')
  expect(readdirSync(join(tiles, '0')).sort()).toEqual(['000', '001.p'])
  expect(readdirSync(join(tiles, 'entries')).sort()).toEqual(['000', '001.p'])
  expect(await readCheckpoint(own.installation.database, await log.identity())).toBe(
    (await own.file('checkpoint')).toString(),
  )
})

test('the work pauses between records, leaves, statements and tiles', async () => {
  let pauses = 0
  const counted = { next: () => void (pauses += 1) as undefined }
  await own.installation.append(...accounts(130))
  await extendLog({ ...(await own.parts()), pauses: counted })
  expect(pauses).toBe(130 + 130 + 2)
  const published = { stores: [own.store], keys: own.keys, log: await own.installation.log.identity() }
  await publishFiles(own.installation.database, published, counted)
  // One tile of hashes and one of entries.
  expect(pauses).toBe(262 + 2)
})

test('a report is proven only by its bytes, at every later checkpoint, and an earlier proof stays good', async () => {
  await own.installation.append(...accounts(3), report(ID(1)))
  await own.extend()
  const first = await proofOf(ID(1))
  for (const more of [1, 2, 250, 7, 300]) {
    await own.installation.append(...accounts(more), report(ID(more + 1)))
    await own.extend()
    expect(await provenIndex(ID(1), await proofOf(ID(1)))).toBe(await provenIndex(ID(1), first))
    expect(await provenIndex(ID(more + 1), await proofOf(ID(more + 1)))).toBeGreaterThan(3)
  }
  await expect(provenIndex(ID(2), first)).rejects.toThrow('not one byte of it may differ')
})

test('of repeated records with one report id the first is proven, and another document never is', async () => {
  const { append, database } = own.installation
  await append(report(ID(1)), report(ID(1), '{"another":"report"}'))
  await own.extend()
  expect(await provenIndex(ID(1), await proofOf(ID(1)))).toBe(0)
  await expect(readProof(database, { reportId: ID(1), document: '{"another":"report"}' })).rejects.toThrow(
    'is not that of the document',
  )
  expect(await readProof(database, { reportId: ID(9), document: '' })).toEqual({ kind: 'none' })
  await database.execute(`UPDATE transparency.leaf SET salt = sha256(salt) WHERE index = 0`)
  await expect(readProof(database, { reportId: ID(1), document: documentOf(ID(1)) })).rejects.toThrow(
    'is not that of the document',
  )
})

test('several writers make one history: each size is signed once, and each tree extends the one before', async () => {
  const parts = await own.parts()
  const signed = new Map<number, string>()
  for (let round = 0; round < 4; round += 1) {
    await own.installation.append(...accounts(40))
    const made = await Promise.all([1, 2, 3].map(() => extendLog({ ...parts, maxLeaves: 25 })))
    expect(made.filter((each) => each !== 'overtaken' && each.leaves > 0).length).toBeGreaterThan(0)
    const [, size, root] = (await readCheckpoint(parts.database, await parts.log.identity()))!.split('\n')
    signed.set(Number(size), root!)
  }
  while ((await own.extend({ maxLeaves: 25 })) !== 'overtaken')
    if (Number((await checkpoint())[1]) === 160) break
  const entries = await publishedEntries(own, 160)
  for (const [size, root] of signed) expect(naiveRoot(entries.slice(0, size)).toString('base64')).toBe(root)
  expect(await offsetsOf(topicOf('AccountCreated'))).toEqual(Array.from({ length: 160 }, (_, at) => at))
})

const backUp = (): Promise<void> => backUpRows(own)
const restore = (): Promise<void> => restoreRows(own)

test('an older database is refused with a sentence, also when it has gone on elsewhere, and nothing is signed', async () => {
  const { append, database, log } = own.installation
  await append(...accounts(10))
  await own.extend()
  await backUp()
  await append(...accounts(5))
  await own.extend()
  const before = await own.file('checkpoint')
  await restore()
  await expect(own.extend()).rejects.toThrow(
    /holds a transparency log of 15 leaves, and the database has 10: an older database was restored/,
  )
  expect((await readCheckpoint(database, await log.identity()))!.split('\n')[1]).toBe('10')
  // The signer does not see the folder, and the order of the leaves is another one: this is another history.
  await append(report(ID(1)), ...accounts(20))
  await extendLog({ ...(await own.parts()), stores: [] })
  await append(...accounts(1))
  await expect(own.extend()).rejects.toThrow('No second history is signed')
  expect(await own.file('checkpoint')).toEqual(before)
})

/** Works like `cupel restore`: it takes back all or nothing. */
const takeBack = async (): Promise<TakenBack> => {
  const parts = await own.parts()
  return own.installation.database.transaction({ at: 'transparency.sign' }, (transaction) =>
    takeBackLeaves(transaction, parts),
  )
}

test.each([0, 200, 256, 300])(
  'an older database of %i leaves takes back what was published, and one history goes on',
  async (kept) => {
    const { append, database, log } = own.installation
    if (kept > 0) {
      await append(...accounts(kept - 1), report(ID(1)))
      await own.extend()
    }
    await backUp()
    await append(...accounts(290), report(ID(2)), report(ID(3)))
    await own.extend({ maxLeaves: 100 })
    for (let step = 0; step < 6; step += 1) await own.extend({ maxLeaves: 100 })
    const published = await checkpoint()
    const earlier = await proofOf(ID(2))
    await restore()

    expect(await takeBack()).toEqual({ leaves: 292, lost: 0 })
    expect(await takeBack()).toEqual({ leaves: 0, lost: 0 })
    expect(await readCheckpoint(database, await log.identity())).toBe(published.join('\n'))
    await append(...accounts(10), report(ID(4)))
    expect(await own.extend()).toEqual({ leaves: 11, hasMore: false })
    const entries = await publishedEntries(own, kept + 303)
    expect((await checkpoint())[2]).toBe(naiveRoot(entries).toString('base64'))
    expect(naiveRoot(entries.slice(0, kept + 292)).toString('base64')).toBe(published[2])
    expect(new Set(entries.map(String)).size).toBe(kept + 303)
    const every = (await offsetsOf(topicOf('AccountCreated'))).length
    expect(await offsetsOf(topicOf('AccountCreated'))).toEqual(Array.from({ length: every }, (_, at) => at))
    expect(await provenIndex(ID(2), earlier)).toBe(await provenIndex(ID(2), await proofOf(ID(2))))
    for (const proven of kept > 0 ? [1, 3, 4] : [3, 4]) await proofOf(ID(proven))
  },
)

test('leaves are not taken back from files that were changed, are gone, or are of another history', async () => {
  const { append, database, log } = own.installation
  await append(...accounts(10))
  await own.extend()
  await backUp()
  await append(...accounts(5))
  await own.extend()
  await restore()
  const bundle = join(transparencyFolder(own.folder, await log.identity()), 'tile/entries/000.p/15')
  const bytes = readFileSync(bundle)
  const rows = (): Promise<unknown[]> => database.query('SELECT size FROM transparency.log')
  for (const [changed, sentence] of [
    [bytes.subarray(0, -1), 'The tile of leaf 10 in '],
    [Buffer.concat([bytes, bytes.subarray(0, 2)]), 'The tile of leaf 10 in '],
    [withLastHash(bytes), 'do not make the tree'],
    [bytes.map((byte, at) => (at === bytes.length - 1 ? byte ^ 1 : byte)), 'something that is not a leaf'],
  ] as const) {
    writeFileSync(bundle, changed)
    await expect(takeBack()).rejects.toThrow(sentence)
    expect(await rows()).toEqual([{ size: 10 }])
  }
  rmSync(bundle)
  await expect(takeBack()).rejects.toThrow('is gone or not whole')
  writeFileSync(bundle, bytes)
  // Another history: its leaves are in another order.
  await append(report(ID(1)))
  await database.execute(`UPDATE projection.checkpoint SET next = next + 4 WHERE next = 10`)
  await extendLog({ ...(await own.parts()), stores: [], maxLeaves: 2 })
  await expect(takeBack()).rejects.toThrow('do not make the tree of its checkpoint')
  expect(await rows()).toEqual([{ size: 12 }])
})

/** The bundle with another hash of the time in its last leaf. */
function withLastHash(bundle: Buffer): Buffer {
  const changed = Buffer.from(bundle)
  const at = changed.lastIndexOf('",null]') - 44
  changed.write('A'.repeat(43), at)
  return changed
}

test.each([
  ['the number of leaves', `UPDATE transparency.log SET size = size + 1`],
  [
    'the roots of its subtrees',
    `UPDATE transparency.log SET peaks = set_byte(peaks, 5, 255 - get_byte(peaks, 5))`,
  ],
  [
    'its checkpoint',
    `UPDATE transparency.log SET checkpoint = replace(checkpoint, '/transparency/', '/other/')`,
  ],
  ['its signature', `UPDATE transparency.log SET checkpoint = 'none'`],
])('changed rows are refused, and nothing is signed: %s', async (_, change) => {
  const { append, database } = own.installation
  await append(...accounts(10))
  await own.extend()
  const before = await own.file('checkpoint')
  await database.execute(change)
  await append(...accounts(1))
  await expect(own.extend()).rejects.toThrow(/those of its last signed checkpoint|No second history|are gone/)
  await expect(extendLog({ ...(await own.parts()), stores: [] })).rejects.toThrow(
    'not those of its last signed checkpoint',
  )
  expect(await own.file('checkpoint')).toEqual(before)
})

test('records that were deleted from the front have no leaf, and the others do', async () => {
  const { append, deleteFront } = own.installation
  await append(...accounts(10))
  await deleteFront(topicOf('AccountCreated'), 4)
  expect(await own.extend()).toMatchObject({ leaves: 6 })
})

test('what was signed and not yet published is published by the next one, and a lost folder is filled again', async () => {
  const { append, log } = own.installation
  await append(...accounts(300))
  await own.extend({ publishes: false })
  await expect(own.file('checkpoint')).rejects.toThrow('is not published')
  expect(await own.publish()).toBe(true)
  const root = naiveRoot(await publishedEntries(own, 300)).toString('base64')
  expect((await checkpoint())[2]).toBe(root)
  rmSync(transparencyFolder(own.folder, await log.identity()), { recursive: true })
  await append(...accounts(1))
  await own.extend()
  expect(naiveRoot(await publishedEntries(own, 301)).toString('base64')).toBe((await checkpoint())[2])
})

test('a checkpoint file that nobody here signed is named, and not overwritten', async () => {
  const { append, log } = own.installation
  await append(...accounts(3))
  await own.extend()
  const file = join(transparencyFolder(own.folder, await log.identity()), 'checkpoint')
  writeFileSync(file, 'something else')
  await append(...accounts(1))
  await expect(own.extend()).rejects.toThrow('is not a checkpoint that this installation signed')
  expect((await own.file('checkpoint')).toString()).toBe('something else')
})

/** Keeps the transparency log, and asks the witnesses if there are some, until it dies. */
const diesKeeping = (point: string, witnesses?: WitnessSettings): Promise<void> =>
  diesAt(own.installation.connectionString, point, (deps) => {
    const parts = { ...deps, topics, keys: own.keys, stores: [own.store], intervalMs: 1 }
    const running = [startTransparency(parts)]
    if (witnesses !== undefined) running.push(startWitnesses({ ...parts, settings: witnesses }))
    return { stop: () => Promise.all(running.map((one) => one.stop())) }
  })

test('killed at any write, the next process goes on with one history, and what was published stays', async () => {
  const { append } = own.installation
  const published = new Map<number, string>()
  const note = async (): Promise<void> => {
    const [, size, root] = await checkpoint().catch(() => [])
    if (root !== undefined) published.set(Number(size), root)
  }
  const keyPoints = ['before:transparency.publish-key:1', 'after:transparency.publish-key:1']
  const points = [
    ...keyPoints,
    'before:transparency.sign:1',
    'after:transparency.sign:1',
    'after:transparency.publish:1',
  ]
  // The first visit is between the tiles and the checkpoint, the second is before the end of the transaction.
  for (const point of [...points, 'before:transparency.publish:1', 'before:transparency.publish:2']) {
    await append(...accounts(90))
    await diesKeeping(point)
    await note()
  }
  await own.extend()
  const entries = await publishedEntries(own, 630)
  expect((await checkpoint())[2]).toBe(naiveRoot(entries).toString('base64'))
  for (const [size, root] of published)
    expect(naiveRoot(entries.slice(0, size)).toString('base64')).toBe(root)
  expect(await offsetsOf(topicOf('AccountCreated'))).toEqual(Array.from({ length: 630 }, (_, at) => at))
  // The key of the checkpoints is in the outbox once.
  expect(await own.installation.database.query('SELECT event FROM projection.outbox')).toHaveLength(1)
})

test('killed while it stores a cosignature, the next process has the witness cosign the same history', async () => {
  const { append, database, log } = own.installation
  const identity = await log.identity()
  const named = logKey(own.keys.signer.key, identity)
  const witness = await startTestWitness({ logs: new Map([[named.name, verifierKey(named)]]) })
  own.installation.onClose(() => witness.close())
  const { name, url, vkey } = witness
  const file = join(own.folder, 'witnesses.json')
  const settings = { quorum: 1, witnesses: [{ name, url, vkey }], allowed_ranges: ['127.0.0.0/8'] }
  writeFileSync(file, JSON.stringify(settings))
  for (const point of ['before:transparency.cosign:1', 'after:transparency.cosign:1']) {
    await append(...accounts(40))
    await diesKeeping(point, readWitnessSettings(file))
    // The claim of the dead process ends by itself.
    await database.execute('UPDATE transparency.witness SET retry_at = NULL')
  }
  await append(...accounts(1))
  await own.extend()
  const parts = { ...own.installation.deps, keys: own.keys, stores: [own.store], intervalMs: 20 }
  const running = startWitnesses({ ...parts, settings: readWitnessSettings(file), metrics: noMetrics })
  own.installation.onClose(() => running.stop())
  await until(async () =>
    expect(await readCosigning(database, identity)).toMatchObject({ size: 81, cosigned: { size: 81 } }),
  )
  expect(witness.calls.map(({ status }) => status)).not.toContain(422)
  const entries = await publishedEntries(own, 81)
  expect((await checkpoint())[2]).toBe(naiveRoot(entries).toString('base64'))
})

test('while it runs, events come into checkpoints by themselves, and a fault is told until it ends', async () => {
  const { append, deps, database } = own.installation
  const settings = { keys: own.keys, stores: [own.store], intervalMs: 10 }
  const running = startTransparency({
    ...{ ...deps, ...settings, topics, logger: silentLogger, metrics: noMetrics },
  })
  own.installation.onClose(() => running.stop())
  await append(...accounts(3), report(ID(1)))
  await until(async () => expect((await checkpoint())[1]).toBe('4'))
  expect(running.error()).toBeNull()
  await database.execute(`UPDATE transparency.log SET checkpoint = checkpoint || 'x'`)
  await append(...accounts(1))
  await until(() => expect(running.error()).toMatch(/restore the database/))
  await database.execute(`UPDATE transparency.log SET checkpoint = rtrim(checkpoint, 'x')`)
  await until(async () => expect((await checkpoint())[1]).toBe('5'))
  await until(() => expect(running.error()).toBeNull())
})
