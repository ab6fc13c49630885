import { createAccount } from '@cupel/gate/access'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openCommandLine, type CommandLine } from '../command-line.js'

let commandLine: CommandLine
let account: string
beforeAll(async () => {
  commandLine = await openCommandLine({
    CUPEL_WEBHOOK_ALLOW: '127.0.0.0/8',
    CUPEL_MAIL_HOST: 'mail.example',
    CUPEL_MAIL_FROM: 'cupel@mail.example',
  })
  account = (await createAccount(commandLine.database, { name: 'Test', by: 'test' })).accountId
})
afterAll(() => commandLine.close())

async function said(...args: string[]): Promise<string> {
  const { out, error } = await commandLine.cupel('webhooks', ...args)
  if (error !== null) throw error
  return out
}
const json = async <T = unknown>(...args: string[]): Promise<T> =>
  JSON.parse(await said(...args, '--json')) as T
interface Shown {
  endpoint_id: string
  secret: string
}

test('an operator creates, lists, pauses, resumes and deletes an endpoint', async () => {
  const { secret, ...made } = await json<Shown & Record<string, unknown>>(
    'create',
    'http://127.0.0.1:9/hook',
    '--account',
    account,
  )
  expect(secret).toMatch(/^whsec_/)
  expect(made).toMatchObject({ account_id: account, livemode: true, payload: 'full', status: 'enabled' })
  const id = made.endpoint_id
  expect(await json('list', '--account', account)).toEqual({ items: [made] })
  expect(await json('list', '--account', account, '--environment', 'test')).toEqual({ items: [] })
  expect(await said('list', '--account', account)).toMatch(/ENDPOINT .*STATE\nwe_.* enabled \(not proven\)$/)
  expect(await json('pause', id)).toMatchObject({ status: 'disabled', disabled_reason: 'paused' })
  await expect(said('test', id)).rejects.toMatchObject({
    message: 'The endpoint is disabled: resume it first.',
    exitCode: 1,
  })
  expect(await json('resume', id)).toMatchObject({ status: 'enabled', disabled_reason: null })
  expect((await json<Shown>('rotate-secret', id)).secret).not.toBe(secret)
  expect(await json('delete', id)).toEqual({ endpoint_id: id, deleted: true })
  await expect(said('pause', id)).rejects.toMatchObject({ exitCode: 3 })
})

test('an operator sends a ping, sees it among the deliveries, and sends it again', async () => {
  const { endpoint_id: id } = await json<Shown>('create', 'http://127.0.0.1:9/hook', '--account', account)
  const { delivery_id: deliveryId } = await json<{ delivery_id: string }>('test', id)
  expect(await json('deliveries', id)).toMatchObject({
    items: [
      { delivery_id: deliveryId, type: 'endpoint.test', status: 'pending', attempts: [] },
      { type: 'endpoint.test', status: 'pending', attempts: [] },
    ],
  })
  expect(await json('deliveries', id, '--status', 'held')).toEqual({ items: [] })
  expect(await said('deliveries', id)).toContain(deliveryId)
  expect(await json('redeliver', id, deliveryId)).toEqual({ count: 1 })
  await commandLine.database.execute(`UPDATE webhooks.delivery SET status = 'exhausted'`)
  expect(await json('redeliver', id, '--since', '2026-01-01T00:00:00Z')).toEqual({ count: 2 })
  expect(await json('redeliver', id, '--since', '2026-01-01T00:00:00Z', '--status', 'held')).toEqual({
    count: 0,
  })
  await expect(said('redeliver', id)).rejects.toMatchObject({ exitCode: 2 })
  await expect(said('redeliver', id, 'nobodys')).rejects.toMatchObject({ exitCode: 3 })
})

test('an endpoint with an internal address is refused with the reason', async () => {
  await expect(said('create', 'https://10.0.0.1/', '--account', account)).rejects.toMatchObject({
    message: expect.stringContaining('not globally reachable') as string,
    exitCode: 2,
  })
})

test('an operator adds a recipient of e-mail, chooses its messages, and sees a delivery as it is sent', async () => {
  const made = await json<Shown & Record<string, unknown>>(
    ...['create', 'mailto:risk@example.com', '--account', account, '--events', 'report.changed'],
  )
  expect(made).toMatchObject({ url: 'mailto:risk@example.com', payload: 'email', events: ['report.changed'] })
  expect(made.secret).toBeNull()
  const id = made.endpoint_id
  expect(await said('list', '--account', account)).toContain('mailto:risk@example.com')
  expect(await json('events', id, 'all')).toMatchObject({ events: null })
  await expect(said('events', id, 'report.chnged')).rejects.toMatchObject({ exitCode: 2 })
  const [first] = (await json<{ items: { delivery_id: string }[] }>('deliveries', id)).items
  const sent = await json<{ body: string }>('delivery', id, first!.delivery_id)
  expect(JSON.parse(sent.body)).toMatchObject({ subject: 'Cupel: Confirm this address' })
  await json('delete', id)
})
