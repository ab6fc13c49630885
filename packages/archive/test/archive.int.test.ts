import { once } from 'node:events'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LogStoppedError } from '@cupel/event-log'
import { createSigningKeys, readSigningKeys, rotateSigningKey } from '@cupel/signing'
import avro from 'avsc'
import { killedAt } from '@cupel/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ArchiveInUseError, openArchiveLog, openFolderStore, readManifests } from '../src/index.js'
import { check, openArchivedLog, OTHER_TOPIC, recordsOf, TOPIC, type ArchivedLog } from './archived-log.js'

let own: ArchivedLog
beforeEach(async () => {
  own = await openArchivedLog()
})
afterEach(() => own.close())

const checked = () => check(own.folder, own.keys)

/** Checks that the archive holds every record of the log exactly, without faults. */
async function expectWhole(): Promise<void> {
  const { faults, records } = await checked()
  expect(faults).toEqual([])
  expect(records).toEqual(await recordsOf(own.log))
}

async function archiveLog() {
  const store = openFolderStore(own.folder)
  return openArchiveLog({ store, contents: (await readManifests(store, own.keys.verifier)).contents })
}

test('each run adds what is new, and the archive reads as the log does', async () => {
  await own.append(130)
  await own.append(7, { partition: 1 })
  await own.append(41, { topic: OTHER_TOPIC })
  expect(await own.create()).toMatchObject({
    log: await own.log.identity(),
    number: 4,
    records: 178,
    segments: 11,
  })
  await expectWhole()
  expect(await own.create()).toMatchObject({ number: 4, records: 0, segments: 0 })
  await own.append(3, { partition: 1 })
  expect(await own.create()).toMatchObject({ number: 5, records: 3, segments: 1 })
  await expectWhole()
})

test('an empty log makes an archive without records, which goes on later', async () => {
  expect(await own.create()).toMatchObject({ number: 1, records: 0 })
  expect((await checked()).records).toEqual([])
  await own.append(1)
  expect(await own.create()).toMatchObject({ number: 2, records: 1 })
  await expectWhole()
})

test('only their owner can read folders and files', async () => {
  await own.append(1)
  await own.create()
  for (const entry of readdirSync(own.folder, { recursive: true, withFileTypes: true })) {
    const mode = statSync(join(entry.parentPath, entry.name)).mode & 0o777
    expect([entry.name, mode]).toEqual([entry.name, entry.isDirectory() ? 0o700 : 0o600])
  }
  expect(statSync(own.folder).mode & 0o777).toBe(0o700)
})

test('any reader of Avro container files reads a segment', async () => {
  await own.append(5)
  await own.create()
  const file = join(own.folder, 'segments', TOPIC, '0', '0000000000000000.avro')
  const read: unknown[] = []
  const decoder = avro.createFileDecoder(file)
  decoder.on(
    'data',
    (record: { offset: number; value: Buffer }) => void read.push([record.offset, record.value]),
  )
  await once(decoder, 'end')
  const expected = (await recordsOf(own.log)).map(({ offset, value }) => [offset, value])
  expect(read).toEqual(expected)
})

test('large records are kept in blocks and segments of their own', async () => {
  const value = Buffer.alloc(1_500_000, 'x')
  await own.log.append(
    'test',
    Array.from({ length: 3 }, (_, index) => ({
      ...{ topic: TOPIC, partition: 0, key: `large ${index}`, value, headers: {} },
    })),
  )
  await own.create()
  // Compares the bytes, because an assertion over such values takes a minute.
  const { faults, records } = await checked()
  expect(faults).toEqual([])
  expect(records.map((record) => record.value.equals(value))).toEqual([true, true, true])
})

test('while one run is at work another one is refused, and the lock of a dead one is taken over', async () => {
  await own.append(1)
  const held = await openFolderStore(own.folder).hold()
  await expect(own.create()).rejects.toThrow(ArchiveInUseError)
  await held.release()
  writeFileSync(
    join(own.folder, 'lock'),
    JSON.stringify({ pid: 1, identity: 'another', command: '', since: '' }),
  )
  expect(await own.create()).toMatchObject({ records: 1 })
})

const PROGRAM = new URL('./archive-process.ts', import.meta.url)

test('killed at any step, the archive counts as it was, and the next run completes it', async () => {
  await own.append(130)
  const points = ['before:archive.segment:2', 'after:archive.segment:2', 'before:archive.manifest:1']
  points.push('after:archive.manifest:1', 'after:archive.segment:4')
  let manifests = 0
  for (const point of points) {
    await own.append(7)
    await killedAt(PROGRAM, ['create', own.installation.connectionString, own.keyFile, own.folder], point)
    const { contents, records } = await checked()
    if (point === 'after:archive.manifest:1') manifests += 1
    if (point === 'after:archive.segment:4') manifests += 1
    expect([point, contents.number]).toEqual([point, manifests])
    // Every file that the manifests name can be read. Other files are reported as such and do not count.
    const known = (await recordsOf(own.log)).slice(0, records.length)
    expect([point, records]).toEqual([point, known])
  }
  await own.create()
  await expectWhole()
})

test('a log that lost records, has others, or is another one is not archived behind them', async () => {
  await own.append(30)
  await own.create()
  const { database } = own.installation
  await database.execute(`UPDATE log.record SET value = 'forged' WHERE record_offset = 29`)
  await expect(own.create()).rejects.toThrow(`${TOPIC}/0 has another record before offset 30`)
  await database.execute('DELETE FROM log.record WHERE record_offset >= 20 AND record_offset < 100')
  await expect(own.create()).rejects.toThrow(`${TOPIC}/0 ends at offset 20`)
  const identity = () => Promise.resolve('embedded:another')
  await expect(own.create({ log: { ...own.log, identity } })).rejects.toThrow('is an archive of the log')
})

test('records that were deleted from the log stay in the archive, and a hole is refused', async () => {
  await own.append(30)
  await own.create()
  const all = await recordsOf(own.log)
  await own.append(5)
  await own.installation.deleteFront(TOPIC, 32)
  await expect(own.create()).rejects.toThrow(`${TOPIC}/0 begins at offset 32`)
  expect((await checked()).records).toEqual(all)
})

test('an archive of a log without its front says where it begins', async () => {
  await own.append(30)
  await own.installation.deleteFront(TOPIC, 12)
  await own.create()
  const log = await archiveLog()
  expect([await log.startOffset(TOPIC, 0), await log.endOffset(TOPIC, 0)]).toEqual([12, 30])
  const read = async () => {
    for await (const records of log.read({ topic: TOPIC, partition: 0, from: 3, to: 20 })) return records
    return []
  }
  await expect(read()).rejects.toMatchObject({ name: LogStoppedError.name, reason: 'truncated-log' })
  await expectWhole()
})

test('a range gives exactly the offsets asked for', async () => {
  await own.append(100)
  await own.create()
  const log = await archiveLog()
  const range = async (from: number, to: number) => {
    const offsets: number[] = []
    for await (const batch of log.read({ topic: TOPIC, partition: 0, from, to }))
      offsets.push(...batch.map(({ offset }) => offset))
    return offsets
  }
  expect(await range(18, 23)).toEqual([18, 19, 20, 21, 22])
  expect(await range(40, 41)).toEqual([40])
  expect(await range(5, 5)).toEqual([])
  expect(await range(98, 1_000)).toEqual([98, 99])
})

test('an archive is only read, and names an unknown topic', async () => {
  await own.append(1)
  await own.create()
  const log = await archiveLog()
  expect(await log.identity()).toBe(await own.log.identity())
  expect(await log.partitionFor(TOPIC, 'a')).toBe(await own.log.partitionFor(TOPIC, 'a'))
  await expect(log.partitionCount('unknown.v1')).rejects.toThrow('unknown.v1')
  await expect(log.endOffset(TOPIC, 1_000)).rejects.toThrow(RangeError)
  const record = { topic: TOPIC, key: 'a', value: Buffer.alloc(0), headers: {} }
  await expect(log.append('test', [record])).rejects.toThrow('An archive is only read')
  await expect(log.ensureTopics([])).rejects.toThrow('An archive is only read')
})

test('a rotated key goes on, and manifests of an unknown key do not count', async () => {
  await own.append(1)
  await own.create()
  rotateSigningKey(own.keyFile)
  await own.append(1)
  const rotated = readSigningKeys(own.keyFile)
  await own.create({ keys: rotated })
  expect((await check(own.folder, rotated)).faults).toEqual([])
  // A verifier with only the first key reads only that key's manifest.
  expect(await checked()).toMatchObject({
    contents: { number: 1 },
    faults: [{ file: 'manifests/00000002.json' }],
  })
  createSigningKeys(`${own.keyFile}.other`)
  const other = readSigningKeys(`${own.keyFile}.other`)
  expect(await check(own.folder, other)).toMatchObject({ contents: { number: 0 }, records: [] })
  await expect(own.create({ keys: other })).rejects.toThrow('which this installation does not know')
})

test('a folder with other files is refused, and nothing in it is changed', async () => {
  await own.append(1)
  await own.create()
  const file = join(own.folder, 'diary.txt')
  writeFileSync(file, 'mine')
  await own.append(1)
  await expect(own.create()).rejects.toThrow('diary.txt, which is not a file of an archive')
  expect(statSync(file).size).toBe(4)
})
