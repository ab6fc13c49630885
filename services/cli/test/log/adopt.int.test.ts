/** A copy of the log replaces it if the signed checkpoints show that its records are the same, and otherwise not. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { installationTopics } from '@cupel/event-log'
import { compareReadModel, compareReadModels, verifyLog } from '@cupel/evidence/proofs'
import { until } from '@cupel/testkit'
import { enrol, nothingRepeated, readAll, recorded, screen, type Answered, type Customer } from '../drill.js'
import { openRestorable, type Restorable } from '../restorable.js'

const ACCOUNTS = 'access.account.events.v1'

let installation: Restorable
let customer: Customer
let before: ReadonlyMap<string, number>
const answered: Answered = new Map()
beforeEach(async () => {
  answered.clear()
  installation = await openRestorable({ signs: true })
  await installation.run(async (running) => {
    customer = await enrol(running, 'First')
    await screen(running, customer, answered)
    // The account is in the log, and in a checkpoint of it.
    await until(async () =>
      expect(
        await running.database.query('SELECT 1 FROM transparency.place WHERE topic = $1', [ACCOUNTS]),
      ).not.toEqual([]),
    )
  })
  before = await installation.opened(recorded)
  installation.putBackLog(await installation.backUpLog({ isAnother: true }))
})
afterEach(() => installation.close())

test('a copy with the same records takes the place of the log, and its readers go on', async () => {
  expect((await installation.restore()).refusals).toEqual([expect.stringContaining('cupel log adopt')])
  const compared = await installation.adopt({ dryRun: true })
  expect((await installation.restore()).mayStart).toBe(false)
  expect(await installation.adopt()).toEqual(compared)
  await expect(installation.adopt()).rejects.toThrow('there is nothing to adopt')
  expect(await installation.restore()).toMatchObject({ mayStart: true, isOlderDatabase: false })
  await installation.run(async (running) => {
    await readAll(running, customer, answered)
    await screen(running, customer, answered)
  })
  await installation.opened((opened) => nothingRepeated(opened, before))
  // Earlier reports carry signatures for the previous log. The event of the adoption says that this log holds its records.
  await installation.opened(async ({ log, codec, database }) => {
    const verified = await verifyLog({
      ...{ log, codec, maxProblems: 10, rawTopics: new Set() },
      topics: installationTopics().filter(({ name }) => !name.includes('dead')),
      publicKeys: installation.evidence!.keys.publicKeys,
    })
    expect(verified.problems).toEqual([])
    expect(
      await compareReadModels(database, (name) => compareReadModel(name, { log, codec, database })),
    ).toEqual([])
    expect(verified.signatures.unsigned).toBe(0)
    expect(verified.signatures.signed).toBeGreaterThan(1)
  })
})

test('killed before the end of its transaction nothing follows the copy, and after it everything does', async () => {
  await installation.killedAt('before:transparency.adopt:1', 'adopt')
  expect((await installation.restore()).refusals).toEqual([expect.stringContaining('cupel log adopt')])
  await installation.killedAt('after:transparency.adopt:1', 'adopt')
  await expect(installation.adopt()).rejects.toThrow('there is nothing to adopt')
  await installation.run(async (running) => {
    await readAll(running, customer, answered)
    await screen(running, customer, answered)
  })
})

test('a copy in which a signed record differs is refused, and nothing follows it', async () => {
  await installation.tamper(
    `UPDATE log.record SET value = value || '\\x00'::bytea WHERE record_offset = 0 AND partition_id = (
       SELECT r.partition_id FROM log.record r JOIN log.topic_partition p ON p.id = r.partition_id
       WHERE p.topic = '${ACCOUNTS}' LIMIT 1)`,
  )
  await expect(installation.adopt()).rejects.toThrow(/records 0 to \d+ of access\.account\.events\.v1/)
  expect((await installation.restore()).refusals).toEqual([expect.stringContaining('cupel log adopt')])
})
