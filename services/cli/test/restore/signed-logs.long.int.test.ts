/** Drills of an installation that signs its log: no backup takes back signed and published data. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '@cupel/testkit'
import { transparencyFolder, verifyReport } from '@cupel/evidence/transparency'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { enrol, readAll, revoke, screen, settled, type Answered, type Customer } from '../drill.js'
import { openRestorable, type Restorable, type Running } from '../restorable.js'

let installation: Restorable
let customer: Customer
const answered: Answered = new Map()
beforeEach(async () => {
  answered.clear()
  installation = await openRestorable({ signs: true })
  await installation.run(async (running) => {
    customer = await enrol(running, 'First')
    await proof(running, await screen(running, customer, answered))
    await settled(running)
  })
})
afterEach(() => installation.close())

/** Waits for the proof of a report, and checks that it holds. */
async function proof({ call }: Running, reportId: string): Promise<string> {
  const reply = await until(async () => {
    const one = await call(`/v1/reports/${reportId}/proof`, customer.key)
    expect(one.status, one.text).toBe(200)
    return one
  })
  await holds(reportId, reply.text)
  return reply.text
}

/** Rejects if the proof does not hold. */
async function holds(reportId: string, text: string): Promise<void> {
  await verifyReport(
    Buffer.from(answered.get(reportId)!),
    Buffer.from(text),
    installation.evidence!.keys.publicKeys,
  )
}

/** Screens once more. All events until the services stop are published. */
const oneMore = (): Promise<readonly [reportId: string, text: string]> =>
  installation.run(async (running) => {
    const reportId = await screen(running, customer, answered)
    await settled(running)
    return [reportId, await proof(running, reportId)] as const
  })

async function checkpointFile(): Promise<string> {
  const log = await installation.opened((opened) => opened.log.identity())
  return join(transparencyFolder(installation.evidence!.stores[0]!.place, log), 'checkpoint')
}
const published = async (): Promise<number> =>
  Number(readFileSync(await checkpointFile(), 'utf8').split('\n')[1])

test('a key that was revoked after the backup is revoked again, although leaves of its revocation are published', async () => {
  let thief!: Customer
  await installation.run(async (running) => {
    thief = await enrol(running, 'Second')
    await settled(running)
  })
  const backup = await installation.backUp()
  await installation.run(async (running) => {
    await revoke(running, thief)
    await settled(running)
  })
  await oneMore()
  await installation.putBack(backup)
  expect((await installation.restore()).changes).toContain(
    '1 keys that were revoked after the backup are revoked again.',
  )
  await installation.run(async ({ call }) => expect((await call('/v1/reports', thief.key)).status).toBe(401))
})

test('behind an older database the transparency log goes on where its files end', async () => {
  const backup = await installation.backUp()
  const [lost, text] = await oneMore()
  const before = await published()
  await installation.putBack(backup)

  const planned = await installation.restore({ dryRun: true })
  expect(planned).toMatchObject({ mayStart: true, isOlderDatabase: true })
  expect(planned.changes).toContainEqual(
    expect.stringMatching(/^\d+ leaves of the transparency log are taken back from its published files/),
  )
  expect(planned.lost).toEqual([])
  expect(await installation.restore()).toEqual(planned)
  expect(await installation.restore()).toMatchObject({ mayStart: true, changes: [], lost: [] })

  const [later] = await oneMore()
  expect(await published()).toBeGreaterThan(before)
  await holds(lost, text)
  await installation.run(async (running) => {
    await readAll(running, customer, answered)
    await proof(running, later)
    // Its salt follows from its record: no proof is lost with a database.
    await proof(running, lost)
  })
})

test('files that were changed refuse the restore, and nothing is changed', async () => {
  const backup = await installation.backUp()
  await oneMore()
  await installation.putBack(backup)
  const file = await checkpointFile()
  writeFileSync(file, readFileSync(file, 'utf8').replace('/transparency/', '/other/'))
  expect(await installation.restore()).toMatchObject({
    mayStart: false,
    refusals: [expect.stringContaining('is not a checkpoint that this installation signed')],
  })
})

test.each(['the log', 'both'])(
  'where %s lost signed records, an operator accepts it, and new reports are proven',
  async (which) => {
    const [log, database] = [await installation.backUpLog(), await installation.backUp()]
    const [lost, text] = await oneMore()
    installation.putBackLog(log)
    if (which === 'both') await installation.putBack(database)
    const refused = await installation.restore()
    expect(refused).toMatchObject({ mayStart: false })
    expect(refused.refusals.join()).toContain('accept the loss with --accept-lost')
    expect(await installation.restore({ acceptsLost: true })).toMatchObject({ mayStart: true })
    expect(await installation.restore()).toMatchObject({ mayStart: true, changes: [], lost: [] })
    await holds(lost, text)
    answered.delete(lost)
    await oneMore()
  },
)
