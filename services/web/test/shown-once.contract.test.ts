/** Secrets that the console shows once: the form redirects, the page shows the secret, and a reload explains its absence. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { csrfToken, type Session } from '@cupel/console'
import { aSession, cookieOf, json, startFakeApi, startFront, type FakeApi } from './fake-api.js'

const SECRET = `whsec_${'S'.repeat(32)}`
const TOKEN = `cupel_share_${'T'.repeat(43)}`
const REPORT = '/reports/9f2c4a1be07d6358'
const EXPIRES = '2026-11-28T09:00:00.000Z'
const cases = [
  { form: '/webhooks', page: '/webhooks/we_1/secret', shown: SECRET, makes: 'POST /v1/webhook-endpoints' },
  {
    form: '/webhooks/we_1/rotate-secret',
    page: '/webhooks/we_1/secret',
    shown: SECRET,
    makes: 'POST /v1/webhook-endpoints/we_1/rotate-secret',
  },
  {
    form: `${REPORT}/share-links`,
    page: `${REPORT}/share-links/shr_1`,
    shown: TOKEN,
    makes: `POST /v1${REPORT}/share-links`,
  },
] as const

let api: FakeApi
let front: Awaited<ReturnType<typeof startFront>>
beforeAll(async () => {
  api = await startFakeApi()
  front = await startFront(api)
  const endpoint = { endpoint_id: 'we_1', url: 'https://hooks.example.com/' }
  const share = { share_id: 'shr_1', url: `https://cupel.example.com/shared/${TOKEN}`, expires_at: EXPIRES }
  api.answer = (call, response) => {
    const isShare = call.path.endsWith('/share-links')
    const made = isShare ? share : { ...endpoint, secret: SECRET }
    json(200, call.method === 'POST' ? made : endpoint)(call, response)
  }
})
afterAll(async () => {
  await front.close()
  await api.close()
})

const session = aSession()

async function submit(form: string): Promise<{ readonly reply: Response; readonly cookie: string }> {
  const reply = await fetch(front.url + form, {
    ...{ method: 'POST', redirect: 'manual' },
    body: new URLSearchParams({ csrf: csrfToken(session.token), hours: '24' }),
    headers: { 'sec-fetch-site': 'same-origin', cookie: cookieOf(session) },
  })
  return { reply, cookie: reply.headers.getSetCookie()[0] ?? '' }
}

const open = (path: string, cookie = '', by: Session = session): Promise<Response> =>
  fetch(front.url + path, { headers: { cookie: `${cookieOf(by)}; ${cookie.split(';', 1)[0]!}` } })

test.each(cases)('$form leads to $page, which shows the secret and ends its cookie', async (one) => {
  api.calls.length = 0
  const { reply, cookie } = await submit(one.form)
  expect([reply.status, reply.headers.get('location')]).toEqual([303, one.page])
  expect(cookie).toMatch(/^cupel-once=[^;]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=600$/)
  expect(JSON.stringify([...reply.headers]) + (await reply.text())).not.toContain(one.shown)

  const shown = await open(one.page, cookie)
  const html = await shown.text()
  expect(html).toContain(one.shown)
  // The script puts a button that copies it behind it.
  expect(html).toMatch(/<(?:input|code)[^>]* data-copy/)
  expect(shown.headers.getSetCookie()).toEqual([expect.stringMatching(/^cupel-once=; .*Max-Age=0$/)])

  const reloaded = await open(one.page)
  expect(reloaded.status).toBe(410)
  expect(await reloaded.text()).toMatch(/was shown once/)
  expect(api.calls.filter(({ method }) => method === 'POST').map(({ path }) => `POST ${path}`)).toEqual([
    one.makes,
  ])
})

test('neither another session, nor another page, nor what somebody planted shows a secret', async () => {
  const { cookie } = await submit('/webhooks/we_1/rotate-secret')
  const planted = `cupel-once=${Buffer.from(JSON.stringify({ secret: SECRET })).toString('base64url')}`
  for (const reply of [
    await open('/webhooks/we_1/secret', cookie, aSession()),
    await open('/webhooks/we_2/secret', cookie),
    await open(`${REPORT}/share-links/shr_1`, cookie),
    await open('/webhooks/we_1/secret', planted),
  ]) {
    expect(reply.status).toBe(410)
    expect(await reply.text()).not.toContain(SECRET)
    // A secret that another page may still show stays.
    expect(reply.headers.getSetCookie()).toEqual([])
  }
})
