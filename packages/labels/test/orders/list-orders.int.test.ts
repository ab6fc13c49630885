/** Files that operators send: received in parts, looked at, and imported when they are confirmed. */
import { readFile } from 'node:fs/promises'
import { listPublications } from '../../src/read-model/sets.js'
import { diesAt } from '@cupel/testkit/installation'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  addListPart,
  checkListOrder,
  confirmListOrder,
  createListOrder,
  findListOrder,
  MAX_OPEN_ORDERS,
  runNextOrder,
  type ListOrder,
} from '../../src/index.js'
import { startInstallation, type ImportInstallation } from '../import/installation.js'
import { evm, rows } from '../import/rows.js'

let installation: ImportInstallation
beforeAll(async () => {
  installation = await startInstallation()
})
afterAll(async () => await installation.close())

const accepting = { acceptRemovals: null, acceptUnreadable: null, reason: null }

async function begun(set: string): Promise<string> {
  const order = await createListOrder(installation.database, {
    request: { format: 'csv', set },
    by: 'key one',
  })
  if (typeof order === 'string') throw new Error(order)
  return order.orderId
}

/** Sends the list in parts of the given size. */
async function sent(set: string, lines: readonly string[], partBytes = 100): Promise<string> {
  const orderId = await begun(set)
  const bytes = await readFile(await installation.list(`${set}.csv`, lines))
  for (let part = 0; part * partBytes < bytes.length; part += 1) {
    const content = bytes.subarray(part * partBytes, (part + 1) * partBytes)
    expect(await addListPart(installation.database, { orderId, part, content })).toMatchObject({ orderId })
  }
  return orderId
}

const check = async (orderId: string): Promise<ListOrder | null> => {
  expect(await checkListOrder(installation.database, orderId)).toMatchObject({ status: 'checking' })
  return await runNextOrder(installation.deps)
}
const confirm = async (orderId: string, accepted: Partial<typeof accepting> | object = {}) => {
  const order = { ...accepting, orderId, by: 'key two', ...accepted }
  expect(await confirmListOrder(installation.database, order)).toMatchObject({ status: 'importing' })
  return await runNextOrder(installation.deps)
}
const published = (set: string) => listPublications(installation.database, { source: set, dataset: set })

test('a file is read from its parts as it was sent; a look changes nothing, and the import names who confirmed it', async () => {
  const orderId = await sent('whole', rows('whole', 40))
  expect(await check(orderId)).toMatchObject({
    ...{ status: 'checked', orderedBy: 'key one', confirmedBy: null },
    result: { status: 'dry-run', added: 40, rows: 40, file: 'whole' },
  })
  expect(await published('whole')).toEqual([])
  expect(await confirm(orderId)).toMatchObject({
    status: 'imported',
    result: { status: 'imported', added: 40 },
  })
  expect(await published('whole')).toMatchObject([{ importedBy: 'key two', total: 40 }])
  expect(await installation.show(evm(40), 'ETH')).toHaveLength(1)
  const left = 'SELECT 1 FROM labels.list_order_part WHERE order_id = $1'
  expect(await installation.database.query(left, [orderId])).toEqual([])
})

test('a large removal is imported only with exactly its number and a reason', async () => {
  const whole = await sent('many', rows('many', 100))
  await check(whole)
  await confirm(whole)
  const orderId = await sent('many', rows('many', 50))
  expect(await check(orderId)).toMatchObject({
    status: 'refused',
    result: { refusal: 'too-many-removals', removals: 50 },
  })
  for (const acceptRemovals of [null, 49])
    expect(await confirm(orderId, { acceptRemovals, reason: 'delisted' })).toMatchObject({
      status: 'refused',
    })
  expect(await published('many')).toHaveLength(1)
  expect(await confirm(orderId, { acceptRemovals: 50, reason: 'delisted' })).toMatchObject({
    status: 'imported',
  })
  expect((await published('many'))[0]).toMatchObject({ acceptedRemovals: 50, reason: 'delisted', total: 50 })
})

test('parts come one after the other, and a repeat of one changes nothing', async () => {
  const { database } = installation
  const orderId = await begun('parts')
  const part = (number: number, text: string) =>
    addListPart(database, { orderId, part: number, content: Buffer.from(text) })
  expect(await part(1, 'b')).toBe('other-part')
  expect(await part(0, 'a')).toMatchObject({ bytes: 1 })
  expect(await part(0, 'a')).toMatchObject({ bytes: 1 })
  expect(await part(0, 'x')).toBe('other-part')
  expect(await part(1, 'bc')).toMatchObject({ bytes: 3 })
  await check(orderId)
  expect(await part(2, 'd')).toBe('other-status')
  expect(await addListPart(database, { orderId: 'lio_nobody', part: 0, content: Buffer.from('a') })).toBe(
    'unknown',
  )
})

test('nothing is imported that nobody looked at, and nothing twice', async () => {
  const { database } = installation
  const order = { ...accepting, by: 'key two' }
  const empty = await begun('empty')
  expect(await checkListOrder(database, empty)).toBe('other-status')
  const orderId = await sent('once', rows('once', 3))
  expect(await confirmListOrder(database, { ...order, orderId })).toBe('other-status')
  await check(orderId)
  await confirm(orderId)
  expect(await confirmListOrder(database, { ...order, orderId })).toBe('other-status')
  expect(await checkListOrder(database, orderId)).toBe('other-status')
  expect(await runNextOrder(installation.deps)).toBeNull()
  expect(await published('once')).toHaveLength(1)
})

test('a look that failed has shown nothing to confirm, and a new one forgets what was accepted before', async () => {
  const { database } = installation
  const orderId = await sent('failed', rows('failed', 100))
  await checkListOrder(database, orderId)
  // As after a fault of the log or the database.
  const fail = (): Promise<unknown> =>
    database.execute(
      `UPDATE labels.list_order SET status = 'failed', result = '{"status":"failed","message":""}' WHERE order_id = $1`,
      [orderId],
    )
  await fail()
  const order = { ...accepting, orderId, by: 'key two' }
  expect(await confirmListOrder(database, order)).toBe('other-status')
  await check(orderId)
  const accepted = { ...order, acceptRemovals: 7, reason: 'delisted' }
  expect(await confirmListOrder(database, accepted)).toMatchObject({ status: 'importing' })
  await fail()
  expect(await confirmListOrder(database, accepted)).toMatchObject({ status: 'importing' })
  await fail()
  expect(await check(orderId)).toMatchObject({ confirmedBy: null, acceptRemovals: null, reason: null })
})

test('a file with other content than a list is refused, and the list in force stays', async () => {
  const orderId = await begun('broken')
  await addListPart(installation.database, { orderId, part: 0, content: Buffer.from('not,a\nlist,"') })
  expect(await check(orderId)).toMatchObject({ status: 'refused', result: { status: 'refused' } })
  expect(await published('broken')).toEqual([])
})

test('an order whose process died is taken up when its lease has ended', async () => {
  const { database } = installation
  const orderId = await sent('dead', rows('dead', 3))
  await checkListOrder(database, orderId)
  const lease = (left: string) =>
    database.execute(
      `UPDATE labels.list_order SET leased_by = 'the dead', leased_until = now() + $2::interval WHERE order_id = $1`,
      [orderId, left],
    )
  await lease('1 minute')
  expect(await runNextOrder(installation.deps)).toBeNull()
  await lease('-1 second')
  expect(await runNextOrder(installation.deps)).toMatchObject({ orderId, status: 'checked' })
})

test.each(['before:labels.order:1', 'after:labels.order:1'])(
  'an import whose process dies at %s ends all the same',
  async (point) => {
    const { database, connectionString } = installation
    const set = point.replaceAll(':', ' ')
    const orderId = await sent(set, rows(set, 3))
    await check(orderId)
    expect(await confirmListOrder(database, { ...accepting, orderId, by: 'key two' })).toMatchObject({
      orderId,
    })
    await diesAt(connectionString, point, (deps) => runNextOrder({ ...deps, labelView: 'here' }))
    expect((await published(set))[0]).toMatchObject({ total: 3 })
    await database.execute(
      `UPDATE labels.list_order SET leased_until = now() - interval '1 second' WHERE leased_by IS NOT NULL`,
    )
    await runNextOrder(installation.deps)
    expect(await findListOrder(database, orderId)).toMatchObject({ status: 'imported' })
    expect((await published(set))[0]).toMatchObject({ total: 3, importedBy: 'key two' })
  },
)

test('only so many are open at once, and one that nobody confirmed is forgotten after a day', async () => {
  const { database } = installation
  await database.execute('DELETE FROM labels.list_order')
  const ids: string[] = []
  for (let count = 0; count < MAX_OPEN_ORDERS; count += 1) ids.push(await begun(`open-${count}`))
  const one = { request: { format: 'csv', set: 'more' }, by: 'key one' }
  expect(await createListOrder(database, one)).toBe('too-many')
  await database.execute(
    `UPDATE labels.list_order SET changed_at = now() - interval '25 hours' WHERE order_id = $1`,
    [ids[0]],
  )
  expect(await createListOrder(database, one)).toMatchObject({ status: 'receiving' })
  expect(await findListOrder(database, ids[0]!)).toBeNull()
})

test('the files of refused orders are kept for a day, and no more of them than may be open', async () => {
  const { database } = installation
  await database.execute('DELETE FROM labels.list_order')
  const ids: string[] = []
  for (let count = 0; count < MAX_OPEN_ORDERS + 2; count += 1) {
    const orderId = await sent(`refused-${count}`, ['no row of a list'])
    expect(await check(orderId)).toMatchObject({ status: 'refused' })
    ids.push(orderId)
  }
  const held = async (): Promise<readonly string[]> =>
    (
      await database.query<{ orderId: string }>(
        'SELECT DISTINCT order_id AS "orderId" FROM labels.list_order_part',
      )
    ).map(({ orderId }) => orderId)
  await begun('more')
  expect((await held()).toSorted()).toEqual(ids.slice(-MAX_OPEN_ORDERS).toSorted())
  // What became of it is still told, and it is sent again.
  expect(await findListOrder(database, ids[0]!)).toMatchObject({ status: 'refused' })
  expect(await checkListOrder(database, ids[0]!)).toBe('other-status')
  expect(await checkListOrder(database, ids.at(-1)!)).toMatchObject({ status: 'checking' })
  await runNextOrder(installation.deps)
  await database.execute(
    `UPDATE labels.list_order SET changed_at = now() - interval '25 hours' WHERE status = 'refused'`,
  )
  await begun('much more')
  expect(await held()).toEqual([])
})
