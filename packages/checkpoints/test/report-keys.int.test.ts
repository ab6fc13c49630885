/** What is required of reports, and which key signs them no more, is either said in whole or not at all. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { topicOf } from '@cupel/contracts'
import { createSigningKeys, readSigningKeys, rotateSigningKey } from '@cupel/signing'
import { openTestInstallation, type TestInstallation } from '@cupel/testkit/installation'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkpointsMigrations } from '../src/index.js'

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

/** Resolves to what ended the process: a signal or its exit code. */
async function run(failpoint: string): Promise<unknown> {
  const script = fileURLToPath(new URL('./report-key-process.ts', import.meta.url))
  const child = spawn(
    process.execPath,
    ['--conditions=cupel-source', '--import', 'tsx', script, own.connectionString, keyFile, oldKeyId],
    { env: { ...process.env, CUPEL_FAILPOINT: failpoint }, stdio: ['ignore', 'ignore', 'inherit'] },
  )
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
  return signal ?? code
}

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
  expect(await run('before:checkpoints.require-signatures:1')).toBe('SIGKILL')
  expect(await required()).toEqual([])
  await append()
  expect(await run('after:checkpoints.require-signatures:1')).toBe('SIGKILL')
  expect([await required(), await retirements()]).toEqual([[{ topic, from: 2 }], 0])
  await append()
  expect(await run('before:checkpoints.retire-key:1')).toBe('SIGKILL')
  expect(await retirements()).toBe(0)
  expect(await run('after:checkpoints.retire-key:1')).toBe('SIGKILL')
  expect([await required(), await retirements()]).toEqual([[{ topic, from: 2 }], 1])
})
