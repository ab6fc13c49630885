import { parseVerifierKey, readSigningKeys, verifierKey, type PublicKey } from '@cupel/signing'
import { until } from '@cupel/testkit'
import { verifyReport } from '@cupel/transparency'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, screen } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'

let installation: Installation
let url: string
let key: string
let path: string
let keys: readonly PublicKey[]
beforeAll(async () => {
  installation = await startInstallation()
  ;({ url } = await installation.api())
  ;({ key } = await installation.key())
  path = `/v1/reports/${String((await screen(url, key)).json()['report_id'])}`
})
afterAll(() => installation.stop())

// The order matters: nothing is signed before the second test.
test('before anything is signed proof and checkpoint are unavailable, and the caller is told to come again', async () => {
  for (const at of [`${path}/proof`, '/v1/log/checkpoint']) {
    const reply = await call(url, 'GET', at, { key })
    expect([reply.status, reply.json()['code'], reply.headers['retry-after']]).toEqual([
      503,
      'unavailable',
      '5',
    ])
  }
})

test('the answers of the API prove the report with public keys alone, in the log of the checkpoint', async () => {
  const { publicKeys } = readSigningKeys(installation.prove())
  // As an auditor gets them: as text.
  keys = publicKeys.map((each) => parseVerifierKey(verifierKey(each))!)
  const proof = await until(async () => {
    const reply = await call(url, 'GET', `${path}/proof`, { key })
    expect(reply.status, reply.text).toBe(200)
    return reply
  })
  expect(proof.headers['content-type']).toBe('text/plain; charset=utf-8')
  const report = await call(url, 'GET', path, { key })
  const { leaf, checkpoint } = verifyReport(Buffer.from(report.text), Buffer.from(proof.text), keys)
  expect(leaf.topic).toBe('screening.report.events.v1')
  const now = await call(url, 'GET', '/v1/log/checkpoint', { key })
  expect(now.headers['content-type']).toBe('text/plain; charset=utf-8')
  expect(now.text.split('\n')[0]).toBe(checkpoint.origin)
  const other = await call(
    url,
    'GET',
    `/v1/reports/${String((await screen(url, key)).json()['report_id'])}`,
    { key },
  )
  expect(() => verifyReport(Buffer.from(other.text), Buffer.from(proof.text), keys)).toThrow('not one byte')
})

test('the proof of a report of another account, of the other environment or of nobody is 404', async () => {
  const strangers = [await installation.key(), await installation.key({ environment: 'test' })]
  for (const { key: stranger } of strangers)
    expect((await call(url, 'GET', `${path}/proof`, { key: stranger })).json()['code']).toBe('not_found')
  const nobodys = await call(url, 'GET', '/v1/reports/0000000000000000/proof', { key })
  expect(nobodys.json()['code']).toBe('not_found')
})

test('a proof that was erased is 404, and the report stays', async () => {
  const id = path.slice('/v1/reports/'.length)
  await installation.database.execute('UPDATE transparency.leaf SET seed = NULL WHERE report_id = $1', [id])
  expect((await call(url, 'GET', `${path}/proof`, { key })).json()['code']).toBe('not_found')
  expect((await call(url, 'GET', path, { key })).status).toBe(200)
})
