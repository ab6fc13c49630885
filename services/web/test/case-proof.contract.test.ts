/** The proof of a case is passed on byte for byte: a verifier takes no other spelling. */
import { sampleReport } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aSession, cookieOf, json, startFakeApi, startFront, type FakeApi } from './fake-api.js'

const PROOF = 'c2sp.org/tlog-proof@v1\nextra AA==\nindex 0\n\nlog\n1\nAA==\n\n— log “é” AA==\n'
const id = sampleReport().report_id
let api: FakeApi
let front: Awaited<ReturnType<typeof startFront>>
beforeAll(async () => {
  api = await startFakeApi()
  front = await startFront(api)
})
afterAll(async () => {
  await front.close()
  await api.close()
})
const proof = (headers: Record<string, string>) =>
  fetch(`${front.url}/reports/${id}/case-proof`, { headers, redirect: 'manual' })

test('a person downloads the proof of a case as a file', async () => {
  api.answer = (call, response) => {
    expect(call.path).toBe(`/v1/reports/${id}/case/proof`)
    response.setHeader('content-type', 'text/plain; charset=utf-8')
    response.end(PROOF)
  }
  const reply = await proof({ cookie: cookieOf(aSession()) })
  expect([reply.status, reply.headers.get('content-disposition')]).toEqual([
    200,
    `attachment; filename="case-${id}.tlog-proof"`,
  ])
  expect(Buffer.from(await reply.arrayBuffer()).equals(Buffer.from(PROOF))).toBe(true)
})

test('a refusal of the API gives a page in place of a file, and a caller without a session signs in', async () => {
  api.answer = json(404, { code: 'not_found' })
  const refused = await proof({ cookie: cookieOf(aSession()) })
  expect([refused.status, refused.headers.get('content-disposition')]).toEqual([404, null])
  const stranger = await proof({})
  expect([stranger.status, stranger.headers.get('content-disposition')]).toEqual([303, null])
})
