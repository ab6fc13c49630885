/** The demo over the API: who may change it, and what a caller is told. The demo itself is tested with its command. */
import { runNextOrder } from '@cupel/labels'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RunningApi } from '../src/start-api.js'
import { call, type Reply } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'

let installation: Installation
let api: RunningApi
let operator: string
beforeAll(async () => {
  installation = await startInstallation()
  api = await installation.api()
  ;({ key: operator } = await installation.key({ scope: 'operator' }))
})
afterAll(() => installation.stop())

const change = (isOn: boolean, key = operator): Promise<Reply> =>
  call(api.url, 'POST', '/v1/demo', { key, body: { is_on: isOn } })
const state = async (): Promise<unknown> => (await call(api.url, 'GET', '/v1/demo', { key: operator })).json()
const work = () => runNextOrder({ ...installation.deps, labelView: 'here' })

test('an operator turns the demo on, removes it and turns it on again; a second order changes nothing', async () => {
  expect(await state()).toMatchObject({ status: 'off', fault: null })
  for (const isOn of [true, false, true]) {
    const [busy, ended] = isOn ? ['loading', 'on'] : ['removing', 'off']
    expect((await change(isOn)).json()).toMatchObject({ status: busy })
    expect((await change(isOn)).json()).toMatchObject({ status: busy })
    expect(await work()).toMatchObject({ status: 'imported' })
    expect(await work()).toBeNull()
    expect(await state()).toMatchObject({ status: ended, fault: null })
    expect((await change(isOn)).json()).toMatchObject({ status: ended })
    expect(await work()).toBeNull()
  }
})

test('an order that came to nothing is told, and can be given again', async () => {
  await change(false)
  await installation.database.execute(
    `UPDATE labels.list_order SET status = 'failed', result = '{"status":"failed","message":"The log did not answer"}'
     WHERE status = 'importing'`,
  )
  expect(await state()).toMatchObject({ status: 'on', fault: 'The log did not answer.' })
  expect((await change(false)).json()).toMatchObject({ status: 'removing' })
  await work()
  expect(await state()).toMatchObject({ status: 'off', fault: null })
})

test('a customer sees the demo and does not change it', async () => {
  for (const scope of ['read-write', 'admin'] as const) {
    const { key } = await installation.key({ scope })
    expect((await change(true, key)).json()).toMatchObject({ status: 403, code: 'scope_required' })
    expect((await call(api.url, 'GET', '/v1/demo', { key })).status).toBe(200)
  }
})
