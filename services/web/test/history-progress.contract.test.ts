/** The page of a report that waits for a history says how far that is, and follows it in the browser. */
import { fileURLToPath } from 'node:url'
import { sampleReport } from '@cupel/testkit'
import { build } from 'esbuild'
import { chromium, type Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { CHROMIUM } from './chromium.js'
import { aSession, cookieOf, json, startFakeApi, startFront, type FakeApi } from './fake-api.js'

const sample = sampleReport()
const history = {
  status: 'reading',
  reason: null,
  provider: 'explorer',
  pages: 0,
  pages_expected: null,
  waiting: 0,
}
const report = { ...sample, coverage: { ...sample.coverage, history } }
const path = `/v1/reports/${report.report_id}`
const reading = { ...history, pages: 3, pages_expected: 5 }

let api: FakeApi
let browser: Browser
let script: string
let front: Awaited<ReturnType<typeof startFront>>
let answers: Record<string, unknown> = {}
beforeAll(async () => {
  api = await startFakeApi()
  front = await startFront(api)
  browser = await chromium.launch({ executablePath: CHROMIUM })
  const source = fileURLToPath(new URL('../src/client/follow-history.ts', import.meta.url))
  const contents = `import { followHistory } from ${JSON.stringify(source)}\nfollowHistory()`
  const { outputFiles } = await build({
    ...{ stdin: { contents, resolveDir: '/' }, bundle: true, write: false, format: 'iife' },
  })
  script = outputFiles[0]!.text
  api.answer = (call, response) => {
    const answer = answers[new URL(call.path, 'http://api.invalid').pathname]
    json(answer === undefined ? 404 : 200, answer ?? { code: 'not_found' })(call, response)
  }
})
afterAll(async () => {
  await browser.close()
  await front.close()
  await api.close()
})
beforeEach(() => {
  answers = {
    '/v1/reports': { items: [], next_page_token: null },
    ...{ [path]: report, [`${path}/history`]: reading },
  }
})

async function open() {
  const context = await browser.newContext({
    ...{ viewport: { width: 390, height: 800 }, bypassCSP: true },
    extraHTTPHeaders: { cookie: cookieOf(aSession()) },
  })
  const page = await context.newPage()
  await page.goto(`${front.url}/reports/${report.report_id}`)
  await page.addScriptTag({ content: script })
  return page
}

test('counts pages live, and says when the history is read', async () => {
  const page = await open()
  await page.getByText('The history of the address is being read: 3 of 5 pages.').first().waitFor()
  answers[`${path}/history`] = { ...reading, pages: 4 }
  await page.getByText('being read: 4 of 5 pages.').first().waitFor()
  answers[`${path}/history`] = { ...reading, status: 'read' }
  const notice = page.locator('.notice-done[data-follow-history]')
  await notice.waitFor()
  expect(await notice.innerText()).toContain('The history is read. Screen again')
  expect(await notice.getByRole('link', { name: 'Screen again' }).getAttribute('href')).toContain(
    '/screen?address=',
  )
})

test('a reading whose process has died is a fault, and no page waits for it', async () => {
  const page = await open()
  await page.getByText('3 of 5 pages').first().waitFor()
  answers[`${path}/history`] = { ...reading, status: 'stopped' }
  const notice = page.locator('.notice-fault[data-follow-history]')
  await notice.waitFor()
  expect(await notice.innerText()).toContain('The reading has stopped.')
})

test('an API that cannot tell it is a fault after some answers', async () => {
  const page = await open()
  await page.getByText('3 of 5 pages').first().waitFor()
  delete answers[`${path}/history`]
  await page.getByText('cannot be told any more').waitFor()
})

test('a report that waits for nothing has no such notice', async () => {
  answers[path] = sample
  const page = await open()
  expect(await page.locator('[data-follow-history]').count()).toBe(0)
  expect(await page.getByText('Screen again', { exact: true }).count()).toBe(0)
})
