/** An authority lists parties, and Cupel reads their addresses. Some authorities currently name no address. */
import { compiledDefaultPolicy, judgeLists } from '@cupel/domain'
import { setFacts } from '../../src/read-model/decision-facts.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openRefreshInstallation, type RefreshInstallation } from './installation.js'
import { startListServer, type ListServer } from './list-server.js'

let installation: RefreshInstallation
let server: ListServer
beforeAll(async () => {
  installation = await openRefreshInstallation()
  server = await startListServer()
})
afterAll(async () => {
  await server.close()
  await installation.close()
})

/** Longer than the time in which a set is not confirmed again. */
const later = (): Date => new Date(Date.now() + 7_200_000)

test('a list is in force without any address, where its authority names none', async () => {
  const un = (reference: string): string =>
    '<CONSOLIDATED_LIST dateGenerated="2026-11-10T10:00:00.000Z"><INDIVIDUALS><INDIVIDUAL><FIRST_NAME>BORIS</FIRST_NAME>' +
    `<REFERENCE_NUMBER>${reference}</REFERENCE_NUMBER></INDIVIDUAL></INDIVIDUALS><ENTITIES></ENTITIES></CONSOLIDATED_LIST>`
  server.serve(un('QDi.001'))
  const set = 'un'
  const entry = { set, format: 'un-xml', url: server.url, every: '6h' }
  const refresh = (list: object, now = () => new Date()) =>
    installation.refresh([{ ...entry, ...list }], { now })
  const list = { own_address_of: 'un-sc' }
  expect(await refresh({})).toMatchObject([{ outcome: 'no-usable-row' }])
  expect(await refresh(list)).toMatchObject([{ outcome: 'imported', succeeded: true }])
  const facts = (await installation.set(set))!
  expect(facts).toMatchObject({ source: 'un_sc', whole: true, total: 0, refreshConfigured: true })
  const policy = compiledDefaultPolicy
  expect(judgeLists([setFacts(facts)], new Date().toISOString(), policy)).toMatchObject({
    labelSets: [{ status: 'current' }],
    isStale: false,
    hasSanctionsList: false,
  })
  expect(await refresh(list, later)).toMatchObject([{ outcome: 'unchanged' }])
  expect(await installation.set(set)).toMatchObject({ total: 0, confirmedAt: expect.any(String) as string })
  server.serve('<CONSOLIDATED_LIST dateGenerated="2026-11-11T10:00:00.000Z"></CONSOLIDATED_LIST>')
  expect(await refresh(list)).toMatchObject([{ outcome: 'truncated', succeeded: false }])
})
