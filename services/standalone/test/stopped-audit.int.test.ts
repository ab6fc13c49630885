/** An unreadable audit record stops only its projection: starts and calls still succeed. */
import { topicOf } from '@cupel/contracts'
import { until } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startInstallation, type Installation } from './installation.js'

const ADDRESS = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'

let installation: Installation
beforeAll(async () => {
  installation = await startInstallation()
})
afterAll(() => installation.close())

const told = () =>
  until(() => {
    const check = installation.checks().find(({ name }) => name === 'projector: audit-view')
    expect(check).toMatchObject({
      ok: false,
      detail: expect.stringContaining('stopped in front of') as string,
    })
  })

test('a start with a stopped audit projection serves calls, and goes on telling of it', async () => {
  const { key } = await installation.key()
  const topic = topicOf('ApiRequestAudited')
  const headers = { ce_type: 'ApiRequestAudited' }
  await installation.log.append('test', [{ topic, key: 'acc_1', value: Buffer.from('no event'), headers }])
  await told()

  await installation.startAnew()

  await told()
  const screened = await installation.call('POST', '/v1/screen', { key, body: { address: ADDRESS } })
  expect(screened.status, screened.text).toBe(200)
  const path = `/v1/reports/${screened.json<{ report_id: string }>().report_id}`
  expect((await installation.call('GET', path, { key })).text).toBe(screened.text)
})
