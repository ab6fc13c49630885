/** A list that grows old decides no watch again, so the watch itself says what the lists let no report say now. */
import { labelView } from '@cupel/labels/read-model'
import { testEvent } from '@cupel/testkit/installation'
import type { EventData } from '@cupel/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RunningApi } from '../src/start-api.js'
import { call } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'

let installation: Installation
let api: RunningApi
let view: ReturnType<Installation['run']>
beforeAll(async () => {
  installation = await startInstallation()
  view = installation.run(labelView)
  api = await installation.api()
})
afterAll(async () => {
  await view.stop()
  await installation.stop()
})

const HOUR_MS = 3_600_000

let published = 0

/** One more label of OFAC's whole list. */
async function publish(asOf: Date, unreadable = 0): Promise<void> {
  published += 1
  const set = { importId: `import-${published}`, source: 'ofac_sdn', dataset: 'sdn' }
  const label = {
    ...{ labelId: set.importId, chain: 'ETH', address: ADDRESS, canonicalAddress: ADDRESS },
    ...{ lookupKey: `evm:${ADDRESS}`, category: 'sanctions', subcategory: '', role: 'owner' },
    ...{ entity: 'A listed party', origin: 'us-ofac', kind: 'designation', confidencePpm: 1_000_000 },
    ...{ sourceUrl: '', sanction: null, observedAt: null, validFrom: null, validTo: null },
  }
  const publication = {
    ...{ ...set, sha256: set.importId, asOf: asOf.toISOString(), publishedAt: new Date().toISOString() },
    ...{ historical: false, appended: true, authorityOrigin: 'us-ofac', whole: true, replaces: [] },
    ...{ basedOnSeq: 1_000, confirmedAt: null, list: 'SDN', versionOf: [], lostDesignations: 0 },
    ...{ rows: { read: 1, refused: 0, skipped: 0, unreadable, accepted: 0 }, total: published },
    ...{
      added: 1,
      unchanged: 0,
      retired: 0,
      refused: 0,
      acceptedRemovals: null,
      reason: null,
      importedBy: 'test',
    },
    refreshConfigured: false,
  } as EventData['LabelSetPublished']
  await installation.append(testEvent('LabelsAsserted', 'ofac_sdn', { ...set, labels: [label] }))
  await installation.append(testEvent('LabelSetPublished', 'ofac_sdn/sdn', publication))
  await installation.caughtUp(labelView)
}

const ADDRESS = `0x${'5'.repeat(40)}`
const hoursAgo = (hours: number): Date => new Date(Date.now() - hours * HOUR_MS)

test('a watch says which reasons of the lists hold now, read singly and in a list', async () => {
  const { key } = await installation.key()
  const body = { watches: [{ address: ADDRESS, chain: 'ETH' }] }
  const made = await call(api.url, 'POST', '/v1/watches', { key, body })
  const [watch] = made.json()['items'] as { watch_id: string; list_reasons: unknown }[]
  expect(watch!.list_reasons).toEqual(['no_sanctions_list'])
  const expectReasons = async (reasons: readonly string[]): Promise<void> => {
    const one = await call(api.url, 'GET', `/v1/watches/${watch!.watch_id}`, { key })
    const page = await call(api.url, 'GET', '/v1/watches', { key })
    expect(one.json()).toMatchObject({ list_reasons: reasons })
    expect(page.json()).toMatchObject({ items: [{ list_reasons: reasons }] })
  }
  await publish(hoursAgo(1))
  await expectReasons([])
  await publish(hoursAgo(49))
  await expectReasons(['stale_labels'])
  await publish(hoursAgo(1), 1)
  await expectReasons(['list_incomplete'])
})

test('a watch of the sandbox says none, because the sandbox reads no lists', async () => {
  const { key } = await installation.key({ environment: 'test' })
  const body = { watches: [{ address: ADDRESS, chain: 'ETH' }] }
  const made = await call(api.url, 'POST', '/v1/watches', { key, body })
  expect(made.json()).toMatchObject({ items: [{ list_reasons: [] }] })
})
