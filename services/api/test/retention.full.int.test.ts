/** The running API ends the retention of client addresses without a restart: it deletes the keys of past months. */
import { topicOf, type ApiRequestAudited } from '@cupel/contracts'
import { keyIdOf, openPersonalData } from '@cupel/personal-data'
import { runReadModel } from '@cupel/projections'
import { auditView } from '@cupel/audit/read-model'
import { until } from '@cupel/testkit'
import { testEvent } from '@cupel/testkit/installation'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RunningApi } from '../src/start-api.js'
import { call } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'

const RETENTION_DAYS = 30
/** The retention of January ends on March 2nd. */
const [JANUARY, LAST_DAY, DAY_AFTER] = ['2020-01-15T12:00Z', '2020-03-01T12:00Z', '2020-03-03T12:00Z']
const [OLD_CLIENT, PRESENT_CLIENT] = ['198.51.100.173', '198.51.100.174']

let installation: Installation
let api: RunningApi
let projection: ReturnType<typeof runReadModel>
let now = new Date(LAST_DAY)
let sweeps = 0
beforeAll(async () => {
  installation = await startInstallation()
  api = await installation.api({
    config: {
      CUPEL_TRUSTED_PROXIES: ['127.0.0.0/8'],
      CUPEL_CLIENT_ADDRESS_RETENTION_DAYS: RETENTION_DAYS,
    },
    retention: {
      ...{ firstAfterMs: 0, intervalMs: 20 },
      now: () => {
        sweeps += 1
        return now
      },
    },
  })
  projection = runReadModel({ ...installation.deps, readModel: auditView })
})
afterAll(async () => {
  await projection.stop()
  await installation.stop()
})

/** Seals the address as a process in January did. */
async function sealedThen(accountId: string): Promise<string> {
  const personalData = await openPersonalData({
    ...{ database: installation.database, keysFile: installation.personalDataKeysFile },
    nowMs: () => Date.parse(JANUARY),
  })
  return (await personalData.of(accountId)).sealClientAddress(OLD_CLIENT)
}

test('a running API forgets the key of a month whose retention is over, and keeps those of the others', async () => {
  const { accountId, keyId, key } = await installation.key({ scope: 'read-only' })
  const clientAddress = await sealedThen(accountId)
  const data: ApiRequestAudited = {
    ...{ accountId, environment: 'live', livemode: true, keyId, scope: 'read-only', clientAddress },
    ...{ method: 'GET', route: '/v1/reports', status: 200, code: '', refusedBecause: '' },
    ...{ requestId: 'req_old', subjectIds: ['old'], latencyMs: 1, at: JANUARY, actor: '' },
  }
  const { log, codec } = installation
  const place = { topic: topicOf('ApiRequestAudited', true), key: accountId }
  await log.append('test', [codec.encode(testEvent('ApiRequestAudited', 'req_old', data), place)])

  const addresses = async (query = ''): Promise<unknown[]> => {
    const options = { key, headers: { 'x-forwarded-for': PRESENT_CLIENT } }
    const reply = await call(api.url, 'GET', `/v1/audit-log${query}`, options)
    const items = reply.json()['items'] as { client_address: string }[]
    return items.map((item) => item.client_address)
  }
  await until(async () => expect(await addresses(`?client_address=${OLD_CLIENT}`)).toEqual([OLD_CLIENT]))
  // Sweeps on the last day do not delete it.
  const before = sweeps
  await until(() => expect(sweeps).toBeGreaterThan(before + 1))
  expect(await addresses(`?client_address=${OLD_CLIENT}`)).toEqual([OLD_CLIENT])

  now = new Date(DAY_AFTER)
  await until(async () => expect(await addresses('?subject_id=old')).toEqual(['erased']))
  expect(await addresses(`?client_address=${OLD_CLIENT}`)).toEqual([])
  await until(async () => expect(await addresses()).toContain(PRESENT_CLIENT))
  const told = await installation.database.query<{ keyIds: string[] }>(
    `SELECT event -> 'data' -> 'keyIds' AS "keyIds" FROM projection.outbox WHERE event ->> 'type' = 'PersonalDataErased'`,
  )
  expect(told).toEqual([{ keyIds: [keyIdOf(clientAddress)] }])
})
