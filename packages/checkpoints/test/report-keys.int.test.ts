/** The requirement for reports and the retirement of a key are recorded either completely or not at all. */
import { join } from 'node:path'
import { topicOf } from '@cupel/contracts'
import { createSigningKeys, readSigningKeys, rotateSigningKey } from '@cupel/signing'
import { diesAt, openTestInstallation, type TestInstallation } from '@cupel/testkit/installation'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkpointsMigrations, requireSignatures, retireReportKey } from '../src/index.js'

let own: TestInstallation
let keyFile: string
let oldKeyId: string
beforeEach(async () => {
  own = await openTestInstallation({ migrations: [checkpointsMigrations] })
  keyFile = join(own.folder, 'report-keys.json')
  createSigningKeys(keyFile, 'reports')
  oldKeyId = readSigningKeys(keyFile).signer.key.id
  rotateSigningKey(keyFile, 'reports')
})
afterEach(() => own.close())

const killed = (failpoint: string): Promise<void> =>
  diesAt(own.connectionString, failpoint, async ({ database, log }) => {
    await requireSignatures(database, log)
    const order = { keyId: oldKeyId, by: 'operator:test', reason: 'it was copied' }
    await retireReportKey({ database, log, keys: readSigningKeys(keyFile), ...order })
  })

const required = () =>
  own.database.query<{ topic: string; from: number }>(
    'SELECT topic, first_offset AS "from" FROM checkpoints.signatures_required WHERE first_offset > 0',
  )
const retirements = async () => (await own.database.query('SELECT event FROM projection.outbox')).length

test('killed at any write, the next process goes on, and what was required first stays required', async () => {
  const topic = topicOf('ReportGenerated', true)
  const report = { topic, partition: 0, key: 'r', value: Buffer.from('r'), headers: {} }
  const append = (): Promise<unknown> => own.log.append('test', [report])
  await append()
  await killed('before:checkpoints.require-signatures:1')
  expect(await required()).toEqual([])
  await append()
  await killed('after:checkpoints.require-signatures:1')
  expect([await required(), await retirements()]).toEqual([[{ topic, from: 2 }], 0])
  await append()
  await killed('before:checkpoints.retire-key:1')
  expect(await retirements()).toBe(0)
  await killed('after:checkpoints.retire-key:1')
  expect([await required(), await retirements()]).toEqual([[{ topic, from: 2 }], 1])
})
