/** Signing in and out in a browser. */
import { afterAll, expect } from 'vitest'
import { openDesk } from './browser.js'

const desk = await openDesk()
afterAll(() => desk.close())

/** Designated by OFAC; a starter label of every new installation. */
const LAZARUS = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'

interface Report {
  readonly report_id: string
  readonly report_url: string
}

desk.test('the address of a report leads over the sign-in to that report', async () => {
  const report = await desk.api<Report>('POST', '/v1/screen', { address: LAZARUS })
  const page = await desk.newPage()

  await page.goto(report.report_url)
  await desk.check(page)
  await page.getByLabel('API key').fill(desk.ready.keys.read_only)
  await page.getByRole('button', { name: 'Sign in' }).click()

  await page.waitForURL(report.report_url)
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toMatch(/^Red, /)
  await desk.check(page)
})

desk.test('a wrong key is refused in words, and nobody is signed in', async () => {
  const page = await desk.newPage()
  await page.goto('/sign-in')
  await page.getByLabel('API key').fill('cpl_live_mistyped')
  await page.getByRole('button', { name: 'Sign in' }).click()

  expect(await page.getByRole('alert').textContent()).toContain('This is not an API key')
  await desk.check(page)
  await page.goto('/')
  expect(new URL(page.url()).pathname).toBe('/sign-in')
})

desk.test('after the sign-out the cookie of before opens nothing', async () => {
  const page = await desk.signIn()
  const cookies = await page.context().cookies()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL('**/sign-in')

  await page.context().addCookies(cookies)
  await page.goto('/')

  expect(new URL(page.url()).pathname).toBe('/sign-in')
})
