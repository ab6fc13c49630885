/** A long tree is compared in parts: what one part finds, or leaves out, is not lost with the next. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { topicOf } from '@cupel/contracts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { compareLeaves } from '../../src/commands/audit/compared-leaves.js'
import { NO_WITNESSES } from '../../src/transparency/format/cosignature.js'
import { storeOfLog, type KeptHead, type PublishedStore } from '../../src/transparency/index.js'
import { accounts, openTransparentLog, topics, type TransparentLog } from './transparent-log.js'

const TOPIC = topicOf('AccountCreated')
const LEAVES = 6

let own: TransparentLog
let heads: number[]
beforeEach(async () => {
  own = await openTransparentLog()
  heads = []
  await own.installation.append(...accounts(LEAVES))
  await own.extend()
})
afterEach(() => own.close())

type Parts = Partial<Parameters<typeof compareLeaves>[0]>

const storeOf = async (): Promise<PublishedStore> =>
  storeOfLog(own.store, await own.installation.log.identity())

async function comparison(more: Parts = {}) {
  const { log, codec, database } = own.installation
  const compared = await compareLeaves({
    ...{ log, codec, database, topics, store: await storeOf(), copies: [], acceptances: [], accepted: [] },
    ...{ verifier: own.keys.verifier, witnesses: NO_WITNESSES, publishGraceMs: 0 },
    ...{ endsEarlier: false, checksTimes: true, leavesAtOnce: 2 },
    onHead: ({ tree }: KeptHead) => void heads.push(tree.size),
    ...more,
  })
  return compared.comparison!
}

test('parts give the result of the whole, and each leaves a head to go on from', async () => {
  expect(await comparison()).toMatchObject({ leaves: LEAVES, records: LEAVES, isEnd: true, problemCount: 0 })
  expect(heads).toEqual([2, 4, 6])
})

test('a run that is cut off behind a problem does not go on behind it', async () => {
  await own.installation.database.execute(
    `UPDATE log.record SET appended_at = appended_at + interval '1 s'
     WHERE record_offset = 3 AND partition_id = (SELECT id FROM log.topic_partition WHERE topic = $1)`,
    [TOPIC],
  )
  expect(await comparison()).toMatchObject({ problems: [{ kind: 'other-time', topic: TOPIC, offset: 3 }] })
  expect(heads).toEqual([2])
})

test('a tree that is named after its part was compared does not pass for a compared one', async () => {
  const another = { size: 1, root: Buffer.alloc(32).toString('base64'), file: 'another history' }
  const named: (typeof another)[] = []
  const onHead = (): void => void named.push(another)
  expect(await comparison({ heads: named, onHead })).toMatchObject({
    faults: [{ detail: expect.stringContaining('another history names a tree of 1 leaves') as string }],
  })
})

test('rows and files that go away after the first part are a problem', async () => {
  const { place: folder } = await storeOf()
  const onHead = (): void => rmSync(join(folder, 'checkpoint'))
  expect(await comparison({ database: null, onHead })).toMatchObject({
    ...{ leaves: 2, isEnd: false, problemCount: 1 },
    faults: [{ detail: expect.stringContaining('went away after its first 2 leaves') as string }],
  })
})
