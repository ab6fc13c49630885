/** The health of the installation, for operators only: what has stopped is a fault, and what cannot be read is not healthy. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { EventLog } from '@cupel/event-log'
import { silentLogger } from '@cupel/contracts'
import { readInstallationHealth } from '@cupel/operation/routes'
import type { RunningApi } from '../src/start-api.js'
import { call } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'

const PATH = '/v1/installation-health'
let installation: Installation
let api: RunningApi
let operator: string
beforeAll(async () => {
  installation = await startInstallation()
  api = await installation.api()
  ;({ key: operator } = await installation.key({ scope: 'operator' }))
})
afterAll(() => installation.stop())

const health = async () => (await call(api.url, 'GET', PATH, { key: operator })).json()

test('is for operators', async () => {
  for (const scope of ['read-only', 'read-write', 'admin'] as const) {
    const { key } = await installation.key({ scope })
    expect((await call(api.url, 'GET', PATH, { key })).json()).toMatchObject({ code: 'scope_required' })
  }
})

test('names what has stopped, with the remedy, and what it does not look at', async () => {
  const before = await health()
  expect(before).toMatchObject({ not_read: [], services: [] })
  expect(before['not_looked_at']).toContain('certificates')
  await installation.database.execute(
    `UPDATE projection.read_model SET state = 'stopped', error = 'a record of the future' WHERE name = 'case-view'`,
  )
  const found = await health()
  expect(found['state']).toBe('fault')
  expect(JSON.stringify(found['faults'])).toContain(
    'The projection case-view has stopped: a record of the future.',
  )
})

test('what cannot be read is named, and hides nothing else', async () => {
  await installation.database.execute(
    `UPDATE projection.read_model SET state = 'stopped', error = 'a record of the future' WHERE name = 'case-view'`,
  )
  const { log, database } = installation
  const broken = new Proxy(log, {
    get: (of, name) =>
      name === 'endOffset' ? () => Promise.reject(new Error('not authorised')) : Reflect.get(of, name),
  }) as EventLog
  const found = await readInstallationHealth({ database, log: broken, logger: silentLogger })
  expect(found.unread).toContain('lag')
  expect(found.state).toBe('fault')
  expect(found.standstills).toMatchObject([
    { part: 'projection', detail: 'The projection case-view has stopped: a record of the future.' },
  ])
  const cut = { query: () => Promise.reject(new Error('gone')) } as never
  const blind = await readInstallationHealth({ database: cut, log: broken, logger: silentLogger })
  expect(blind.state).toBe('unknown')
  expect(blind.unread).toEqual(
    expect.arrayContaining(['processes', 'followers', 'projections', 'waiting work']),
  )
})
