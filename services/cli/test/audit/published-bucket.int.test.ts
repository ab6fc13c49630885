/** `cupel audit verify` with published files in an object store: what is there counts, and a store that does not answer proves nothing. */
import { join } from 'node:path'
import { topicOf } from '@cupel/contracts'
import { SIGNING_KEYS_FILE, transparencyFolder } from '@cupel/evidence/transparency'
import { loadConfig } from '@cupel/kit/service'
import { startProjector } from '@cupel/projector'
import { createSigningKeys } from '@cupel/signing'
import { openScriptedStore, until, type ScriptedStore } from '@cupel/testkit'
import { testEvent } from '@cupel/testkit/installation'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ACCOUNT, insertAccounts } from '../account-rows.js'
import { openCommandLine, type CommandLine } from '../command-line.js'
import { inBucket } from '../published-bucket.js'

const IDS = Array.from({ length: 20 }, (_, index) => `acc_${index}`)

let store: ScriptedStore
let installation: CommandLine
let published: string
beforeEach(async () => {
  store = await openScriptedStore()
  installation = await openCommandLine({ CUPEL_CHECKPOINT_INTERVAL_MS: '100', ...inBucket(store) })
  installation.onClose(() => store.close())
  const { append, database, deps, environment, folder, log } = installation
  createSigningKeys(join(folder, SIGNING_KEYS_FILE))
  published = `s3://${store.bucket}/${transparencyFolder('p', await log.identity())}`
  const projector = await startProjector({ ...deps, config: loadConfig(environment) })
  installation.onClose(() => projector.stop())
  await insertAccounts(database, IDS)
  await append(
    ...IDS.map((accountId) => testEvent('AccountCreated', accountId, { accountId, ...ACCOUNT, reason: '' })),
  )
  await until(async () => {
    const rows = await database.query(
      `SELECT FROM projection.checkpoint WHERE group_name = 'projector.transparency.v1' AND topic = $1 AND next = $2`,
      [topicOf('AccountCreated'), IDS.length],
    )
    expect(rows).toHaveLength(1)
    expect(sizeOf()).toBeGreaterThanOrEqual(IDS.length)
  })
  await projector.stop()
})
afterEach(() => installation.close())

const keyOf = (name: string): string => `${published.slice(`s3://${store.bucket}/`.length)}/${name}`

/** Leaves of the published head. */
const sizeOf = (): number => Number(store.objects.get(keyOf('checkpoint'))!.toString().split('\n')[1])

/** With the address of the store as an option, and by the settings. */
const both = () => [['--transparency', published], []]

async function verified(options: readonly string[]) {
  const { out, exitCode } = await installation.cupel('audit', 'verify', ...options, '--json')
  const { transparency } = JSON.parse(out) as {
    transparency: { folder: string; leaves: number; faults: { detail: string }[] }
  }
  return { exitCode, ...transparency, faults: transparency.faults.map(({ detail }) => detail) }
}

test('the tree of the store is compared with the log, by its address and by the settings', async () => {
  const named = await verified(['--transparency', published])
  expect(named).toMatchObject({ exitCode: 0, folder: published, faults: [] })
  expect(named.leaves).toBeGreaterThanOrEqual(IDS.length)
  expect(await verified([])).toMatchObject({ exitCode: 0, leaves: named.leaves, faults: [] })
})

test('an altered, cut off or missing file of the store is named', async () => {
  // Narrower tiles are those of earlier checkpoints.
  const tile = keyOf(`tile/entries/000.p/${sizeOf()}`)
  const whole = store.objects.get(tile)!
  const altered = Buffer.from(whole)
  altered[40]! ^= 1
  for (const bytes of [altered, whole.subarray(0, 100), null]) {
    if (bytes === null) store.objects.delete(tile)
    else store.objects.set(tile, bytes)
    for (const options of both())
      expect(await verified(options)).toMatchObject({
        exitCode: 1,
        faults: expect.arrayContaining([expect.stringContaining(published)]) as string[],
      })
  }
})

test('a store that does not answer ends the command with an error, and proves nothing', async () => {
  await store.close()
  for (const options of both()) {
    const { error, out } = await installation.cupel('audit', 'verify', ...options, '--json')
    expect(String(error)).toMatch(/The store 127\.0\.0\.1:\d+ did not answer GET /)
    expect(out).toBe('')
  }
})
