/** A log restored from an archive has its records at their offsets, whatever interrupts it, or reports why it cannot. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { killedAt } from '@cupel/testkit'
import { openTestInstallation, type TestInstallation } from '@cupel/testkit/installation'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  openArchivedLog,
  OTHER_TOPIC,
  recordsOf,
  runRestore,
  TOPIC,
  topics,
  type ArchivedLog,
} from './archived-log.js'

let own: ArchivedLog
let empty: TestInstallation
beforeEach(async () => {
  own = await openArchivedLog()
  empty = await openTestInstallation({ topics })
  await own.append(1_100)
  await own.append(7, { partition: 1 })
  await own.append(3, { topic: OTHER_TOPIC })
  await own.create()
})
afterEach(async () => {
  await own.close()
  await empty.close()
})

const restore = (log = empty.log.unchecked, names?: readonly string[]) =>
  runRestore({ log, keys: own.keys, folder: own.folder, ...(names === undefined ? {} : { topics: names }) })

test('has every record exactly, and a second run finds them', async () => {
  const archived = await own.log.identity()
  const log = await empty.log.identity()
  expect(await restore()).toMatchObject({ log, archived, records: 1_110, present: 0 })
  expect(await recordsOf(empty.log.unchecked)).toEqual(await recordsOf(own.log))
  expect(await restore()).toMatchObject({ records: 0, present: 1_110 })
  await own.append(2)
  await own.create()
  expect(await restore()).toMatchObject({ records: 2, present: 1_110 })
  expect(await recordsOf(empty.log.unchecked)).toEqual(await recordsOf(own.log))
})

test.each(['before', 'after'])('goes on after a kill %s an append', async (side) => {
  const process = new URL('./archive-process.ts', import.meta.url)
  const given = ['restore', empty.connectionString, own.keyFile, own.folder]
  await killedAt(process, given, `${side}:archive.restore:2`)
  const { records, present } = await restore()
  expect(records + present).toBe(1_110)
  expect(present).toBeGreaterThan(0)
  expect(await recordsOf(empty.log.unchecked)).toEqual(await recordsOf(own.log))
})

const record = (topic: string, key: string) => ({
  ...{ topic, partition: 0, key, value: Buffer.from(key), headers: {} },
})

test('is not made of a log with other records, nor behind more than the archive has', async () => {
  const { log } = empty
  await log.unchecked.append('test', [record(OTHER_TOPIC, 'foreign')])
  await expect(restore()).rejects.toThrow(`${OTHER_TOPIC}/0 has another record at offset 0`)
  for (let more = 0; more < 3; more += 1) await log.unchecked.append('test', [record(OTHER_TOPIC, 'foreign')])
  await expect(restore()).rejects.toThrow('4 records in the log and 3 in the archive')
  // The restore wrote nothing beside these records.
  expect(await log.endOffset(TOPIC, 0)).toBe(0)
})

test('is not made if the log has records of a topic that the archive lacks', async () => {
  const other = await openTestInstallation()
  try {
    await other.log.unchecked.append('test', [record('screening.policy.events.v1', 'foreign')])
    const names = [TOPIC, OTHER_TOPIC, 'screening.policy.events.v1']
    await expect(restore(other.log.unchecked, names)).rejects.toThrow('the archive has no such topic')
  } finally {
    await other.close()
  }
})

test('stops where somebody else appends', async () => {
  const { unchecked } = empty.log
  const disturbed = {
    ...unchecked,
    append: async (...args: Parameters<typeof unchecked.append>) => {
      await unchecked.append('test', [record(args[1][0]!.topic, 'another')])
      return await unchecked.append(...args)
    },
  }
  await expect(restore(disturbed)).rejects.toThrow('somebody else appends to the log')
})

test('is not made of a damaged segment, which is named', async () => {
  const file = join('segments', OTHER_TOPIC, '0', '0000000000000000.avro')
  const path = join(own.folder, file)
  const bytes = readFileSync(path)
  bytes[bytes.length - 20]! ^= 1
  writeFileSync(path, bytes)
  await expect(restore()).rejects.toThrow(file)
})
