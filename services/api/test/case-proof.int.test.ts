/** The proof of a case: who decided what about a report, and when, from the answers of the API and public keys only. */
import { eraseAccount } from '@cupel/personal-data'
import { startOutboxRelay } from '@cupel/projections'
import { readSigningKeys, type PublicKey } from '@cupel/signing'
import { until } from '@cupel/testkit'
import { verifyReport, type ProvenReport } from '@cupel/evidence/transparency'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ADDRESS, call, type Reply } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'

let installation: Installation
let url: string
let keys: readonly PublicKey[]
let own: Awaited<ReturnType<Installation['key']>>
let report: Reply
let at: string
beforeAll(async () => {
  installation = await startInstallation()
  ;({ url } = await installation.api())
  own = await installation.key()
  const body = { address: ADDRESS, customer_reference: 'case 7' }
  report = await call(url, 'POST', '/v1/screen', { key: own.key, body })
  at = `/v1/reports/${String(report.json()['report_id'])}`
  keys = readSigningKeys(installation.prove()).publicKeys
  const relay = startOutboxRelay({ ...installation.deps, lookIntervalMs: 20 })
  installation.onClose(() => relay.stop())
})
afterAll(() => installation.stop())

const write = async (part: string, body: object): Promise<void> => {
  const reply = await call(url, 'POST', `${at}/${part}`, { key: own.key, body })
  expect(reply.status, reply.text).toBeLessThan(300)
}
const proofNow = (): Promise<string> =>
  until(async () => {
    const reply = await call(url, 'GET', `${at}/case/proof`, { key: own.key })
    expect(reply.status, reply.text).toBe(200)
    expect(reply.headers['content-type']).toBe('text/plain; charset=utf-8')
    return reply.text
  })
const proven = (text: string, proof: string): Promise<ProvenReport> =>
  verifyReport(Buffer.from(text), Buffer.from(proof), keys)

test('a report on which nobody has worked has no proof of a case', async () => {
  const reply = await call(url, 'GET', `${at}/case/proof`, { key: own.key })
  expect([reply.status, reply.json()['code']]).toEqual([404, 'not_found'])
})

let held: string
test('the proof says everything that the case says, and that nothing between is left out', async () => {
  await write('notes', { text: 'Asked the customer: “mine”.\n\\ud83d 😀' })
  await write('disposition', { disposition: 'escalated', reason: 'No answer', version: 1 })
  await write('disposition', { disposition: 'cleared', reason: 'Papers came', version: 2 })
  held = await proofNow()
  const shown = (await call(url, 'GET', `${at}/case`, { key: own.key })).json()
  const { entries, customerReference } = await proven(report.text, held)
  expect(customerReference).toBe('proven')
  expect(
    entries.map((entry) => ({
      ...{ version: entry.version, kind: entry.kind, at: entry.at, text: entry.text },
      by: { key_id: entry.keyId, person: entry.person },
      ...{ disposition: entry.disposition, previous_disposition: entry.previousDisposition },
      proposal_version: entry.proposalVersion,
    })),
  ).toEqual(shown['history'])
})

test('another account reads no proof of the case', async () => {
  const { key } = await installation.key()
  const reply = await call(url, 'GET', `${at}/case/proof`, { key })
  expect([reply.status, reply.json()['code']]).toEqual([404, 'not_found'])
})

test('an entry that was changed in the database has no proof', async () => {
  const { database } = installation
  const swap = (from: string, to: string) =>
    database.transaction({ at: 'test' }, async (transaction) => {
      await transaction.execute('ALTER TABLE cases.entry DISABLE TRIGGER entry_stays')
      await transaction.execute('UPDATE cases.entry SET disposition = $2 WHERE disposition = $1', [from, to])
      await transaction.execute('ALTER TABLE cases.entry ENABLE TRIGGER entry_stays')
    })
  await swap('escalated', 'open')
  expect((await call(url, 'GET', `${at}/case/proof`, { key: own.key })).status).toBeGreaterThanOrEqual(500)
  await swap('open', 'escalated')
  expect((await proven(report.text, await proofNow())).entries).toHaveLength(3)
})

test('an erasure takes the texts out of the proof and nothing else, and a proof that was given stays good', async () => {
  const order = { accountId: own.accountId, by: 'test', reason: 'test', plainRecords: 0 }
  await eraseAccount(installation.database, order)
  const erased = await until(async () => {
    const reply = await call(url, 'GET', at, { key: own.key })
    expect(reply.json()['customer_reference']).toBe('erased')
    return reply.text
  })
  const later = await proofNow()
  const { entries: before } = await proven(report.text, held)
  expect(before[1]).toMatchObject({ text: 'No answer' })
  expect(await proven(erased, later)).toMatchObject({
    customerReference: 'erased',
    entries: before.map((entry) => ({ ...entry, text: null })),
  })
  expect(Buffer.from(/^extra (.+)$/m.exec(later)![1]!, 'base64').toString()).not.toContain('Papers')
})
