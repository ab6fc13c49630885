import { placesOf } from '@cupel/event-log'
import { appendFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSigningKeys, readSigningKeys } from '@cupel/signing'
import { diesAt } from '@cupel/testkit/installation'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { acceptShorter, compareLog, makeCheckpoint, openHistory, startCheckpoints } from '../src/index.js'
import { openCheckpointedLog, TOPIC, topics, wrongs, type CheckpointedLog } from './history.js'

let own: CheckpointedLog
beforeEach(async () => {
  own = await openCheckpointedLog()
})
afterEach(() => own.close())

const linesOf = async (): Promise<string[]> =>
  readFileSync(await own.file(), 'utf8')
    .split('\n')
    .slice(0, -1)
const accept = (reason = 'the disk was lost') =>
  acceptShorter({ ...own, folders: [own.folder], by: 'operator:test', reason })

test('each checkpoint covers what is new, and the log agrees with all of them', async () => {
  expect(await own.checkpoint()).toBe('nothing')
  await own.append(300)
  await own.append(10, 2)
  expect(await own.checkpoint()).toMatchObject({ records: 310, hasMore: false })
  expect(await own.checkpoint()).toBe('nothing')
  await own.append(500)
  expect(await own.checkpoint()).toMatchObject({ records: 500 })
  const comparison = await own.compare()
  expect(wrongs(comparison)).toEqual([])
  expect(comparison.last?.statement.number).toBe(2)
  expect(comparison.partitions.map(({ agreesTo }) => agreesTo)).toEqual([800, 10])
})

test('a log without checkpoints is not compared', async () => {
  await own.append(3)
  expect(await own.compare()).toMatchObject({ last: null, faults: [], partitions: [] })
})

test('records that were deleted from the front are not a fault, and what is left is still compared', async () => {
  await own.append(600)
  await own.checkpoint()
  await own.append(300)
  await own.checkpoint()
  await own.installation.deleteFront(TOPIC, 300)
  await own.append(5)
  await own.checkpoint()
  expect(wrongs(await own.compare())).toEqual([])
  await own.database.execute(`UPDATE log.record SET value = 'forged' WHERE record_offset = 700`)
  expect(wrongs(await own.compare())).toEqual([{ kind: 'changed', partition: 0, from: 600, to: 768 }])
})

test('of two writers with the same history one makes the checkpoint, and no number is signed twice', async () => {
  await own.append(5)
  const { log, database, keys, folder } = own
  const history = await openHistory({ log, database, folders: [folder], verifier: keys.verifier })
  const parts = { log, database, signer: keys.signer, places: await placesOf(log, topics) }
  const made = await Promise.all([1, 2, 3].map(() => makeCheckpoint(history, parts)))
  expect(made.filter((each) => each === 'overtaken')).toHaveLength(2)
  expect(await linesOf()).toHaveLength(1)
  await own.append(5)
  expect(await own.checkpoint()).toMatchObject({ records: 5 })
  expect(wrongs(await own.compare())).toEqual([])
})

test('a large backlog is covered in several checkpoints', async () => {
  await own.append(700)
  const { log, database, keys, folder } = own
  const parts = { log, database, signer: keys.signer, places: await placesOf(log, topics), maxRecords: 300 }
  const sizes: unknown[] = []
  for (;;) {
    const history = await openHistory({ log, database, folders: [folder], verifier: keys.verifier })
    const made = await makeCheckpoint(history, parts)
    if (typeof made === 'string') break
    sizes.push(made.records)
  }
  expect(sizes).toEqual([300, 300, 100])
  expect(wrongs(await own.compare())).toEqual([])
})

test('an older database is refused until its loss is accepted, and the acceptance is signed and recorded', async () => {
  await own.append(100)
  await own.checkpoint()
  const { database } = own
  await database.execute('CREATE TABLE old_head AS SELECT * FROM checkpoints.head')
  await database.execute('CREATE TABLE old_partition AS SELECT * FROM checkpoints.partition')
  await own.append(51)
  await own.checkpoint()
  await database.execute('DELETE FROM log.record WHERE record_offset >= 100')
  await database.execute('DELETE FROM checkpoints.partition')
  await database.execute('DELETE FROM checkpoints.head')
  await database.execute('INSERT INTO checkpoints.head SELECT * FROM old_head')
  await database.execute('INSERT INTO checkpoints.partition SELECT * FROM old_partition')
  // The restored installation continued before the check.
  await own.append(80)
  await expect(own.checkpoint()).rejects.toThrow(/later checkpoints than the database.*accept-shorter/)
  expect(wrongs(await own.compare())).toEqual([
    expect.stringContaining('an older database was restored'),
    { kind: 'changed', partition: 0, from: 100, to: 151 },
  ])
  const lost = [{ topic: TOPIC, partition: 0, from: 100, to: 151 }]
  expect(await accept()).toEqual({ by: 'operator:test', reason: 'the disk was lost', lost })
  await own.append(5)
  await own.checkpoint()
  const comparison = await own.compare()
  expect(wrongs(comparison)).toEqual([])
  expect(comparison.accepted).toMatchObject([{ number: 3, by: 'operator:test', lost }])
  const [row] = await database.query<{ event: { type: string; data: unknown } }>(
    'SELECT event FROM projection.outbox',
  )
  expect(row!.event).toMatchObject({
    type: 'ShorterLogAccepted',
    data: { lost, acceptedBy: 'operator:test' },
  })
})

test('a log that was cut is refused until that is accepted, and readers go on at its end', async () => {
  await own.append(151)
  await own.checkpoint()
  const { database, log } = own
  await database.execute(
    `INSERT INTO projection.checkpoint (group_name, topic, partition, next, log) VALUES ('g', $1, 0, 151, $2), ('h', $1, 0, 90, $2)`,
    [TOPIC, await log.identity()],
  )
  await expect(accept()).rejects.toThrow('nothing to accept')
  await database.execute('DELETE FROM log.record WHERE record_offset >= 100')
  await expect(own.checkpoint()).rejects.toThrow(/ends at offset 100, and its records up to 151 were signed/)
  await accept()
  expect(
    await database.query('SELECT group_name, next FROM projection.checkpoint ORDER BY group_name'),
  ).toEqual([
    { group_name: 'g', next: 100 },
    { group_name: 'h', next: 90 },
  ])
  await own.append(1)
  await own.checkpoint()
  expect(wrongs(await own.compare())).toEqual([])
})

test('a writer that keeps its history makes no checkpoint of a log that was cut meanwhile', async () => {
  await own.append(151)
  await own.checkpoint()
  const { log, database, keys, folder } = own
  const history = await openHistory({ log, database, folders: [folder], verifier: keys.verifier })
  const parts = { log, database, signer: keys.signer, places: await placesOf(log, topics) }
  await database.execute('DELETE FROM log.record WHERE record_offset >= 100')
  await own.append(1, 2)
  await expect(makeCheckpoint(history, parts)).rejects.toThrow(
    /ends at offset 100, and its records up to 151/,
  )
})

test('a changed record before agreeing ones is never accepted', async () => {
  await own.append(300)
  await own.checkpoint()
  await own.append(300)
  await own.checkpoint()
  await own.database.execute(`UPDATE log.record SET value = 'forged' WHERE record_offset = 7`)
  await expect(accept()).rejects.toThrow(/Records 0 to 255 .* that is not a missing end/)
})

test.each<[string, (lines: string[]) => void, RegExp]>([
  [
    'a changed statement',
    (lines) => (lines[1] = lines[1]!.replace('"to":20', '"to":21')),
    /Checkpoint 2 .*not this checkpoint after/,
  ],
  [
    'a changed signature',
    (lines) =>
      (lines[1] = lines[1]!.replace(/.(?=.{20}=\\n)/, (character) => (character === 'A' ? 'B' : 'A'))),
    /Checkpoint 2 .*wrong/,
  ],
  ['a removed line', (lines) => void lines.splice(1, 1), /Checkpoint 2 .*The one after it is 3/],
  ['exchanged lines', (lines) => lines.reverse(), /Checkpoint 1 /],
  ['a missing end', (lines) => void lines.splice(1), /ends at checkpoint 1, and 3 were made/],
  ['an empty file', (lines) => void lines.splice(0), /is missing or empty/],
  [
    'another spelling',
    (lines) => (lines[0] = lines[0]!.replace('{', '{ ')),
    /Checkpoint 1 .*not a line of a checkpoint/,
  ],
  ['a repeated line', (lines) => lines.push(lines[2]!), /Checkpoint 4 /],
])('a file of checkpoints is found to be another one: %s', async (_, change, told) => {
  for (let round = 0; round < 3; round += 1) {
    await own.append(10)
    await own.checkpoint()
  }
  const lines = await linesOf()
  change(lines)
  writeFileSync(await own.file(), lines.map((line) => `${line}\n`).join(''))
  expect((await own.compare()).faults).toEqual([expect.stringMatching(told)])
})

test('a history that another key signed is refused by the name of the key', async () => {
  await own.append(10)
  await own.checkpoint()
  const file = join(own.installation.folder, 'other-keys.json')
  createSigningKeys(file)
  const { verifier } = readSigningKeys(file)
  const { log, database, folder, keys } = own
  const { faults } = await compareLog({ log, database, folder, verifier })
  expect(faults[0]).toContain(`the key ${keys.signer.key.id}, which this installation does not know`)
})

test('rows of the database that nobody signed never reach the file', async () => {
  await own.append(10)
  await own.checkpoint()
  await own.database.execute(
    `UPDATE checkpoints.partition SET next = 4, first = 0, peaks = substr(peaks, 1, 32)`,
  )
  await expect(own.checkpoint()).rejects.toThrow('not those that were signed')
  await own.database.execute(`UPDATE checkpoints.head SET line = replace(line, '"to":10', '"to":11')`)
  await expect(own.checkpoint()).rejects.toThrow('not those that were signed')
})

test('a second folder gets every checkpoint, goes on after an absence, and brings a lost home back', async () => {
  const folders = [own.folder, join(own.installation.folder, 'volume')]
  await own.append(5)
  await own.checkpoint()
  await own.append(5)
  await own.checkpoint(folders)
  const copy = (await own.file()).replace(own.folder, folders[1]!)
  expect(readFileSync(copy, 'utf8')).toBe(readFileSync(await own.file(), 'utf8'))
  rmSync(own.folder, { recursive: true })
  await own.append(5)
  await own.checkpoint(folders)
  expect(await linesOf()).toHaveLength(3)
  expect(readFileSync(copy, 'utf8')).toBe(readFileSync(await own.file(), 'utf8'))
  writeFileSync(copy, readFileSync(copy, 'utf8').replace('"number":2', '"number":7'))
  await own.append(5)
  await expect(own.checkpoint(folders)).rejects.toThrow(/has something else at byte 0|put the file back/)
})

test('a write that was cut off is completed, and other bytes at its place are refused', async () => {
  await own.append(5)
  await own.checkpoint()
  const file = await own.file()
  const whole = readFileSync(file, 'utf8')
  for (const length of [0, 1, 40, whole.length - 1]) {
    truncateSync(file, length)
    expect(wrongs(await own.compare())).toEqual(
      length === 0 ? [expect.stringContaining('missing or empty')] : [],
    )
    expect(await own.checkpoint()).toBe('nothing')
    expect(readFileSync(file, 'utf8')).toBe(whole)
  }
  truncateSync(file, 40)
  appendFileSync(file, 'something')
  await expect(own.checkpoint()).rejects.toThrow('has something else at byte 0')
})

test('killed at any write, the next process goes on with one history, and each key is published once', async () => {
  let expected = 0
  for (const name of ['checkpoints.publish-key', 'checkpoints.sign', 'checkpoints.write'])
    for (const side of ['before', 'after']) {
      await own.append(7)
      expected += 7
      const settings = { topics, keys: own.keys, folders: [own.folder], intervalMs: 1 }
      await diesAt(own.installation.connectionString, `${side}:${name}:1`, (deps) =>
        startCheckpoints({ ...deps, ...settings }),
      )
    }
  await own.checkpoint()
  const comparison = await own.compare()
  expect(wrongs(comparison)).toEqual([])
  expect(comparison.partitions).toMatchObject([{ agreesTo: expected }])
  expect(await own.database.query('SELECT key_id FROM checkpoints.published_key')).toHaveLength(1)
  expect(await own.database.query('SELECT event FROM projection.outbox')).toHaveLength(1)
})
