/** The report page on every kind of screen, without script, on paper, by keyboard, and after its key is gone. */
import { readFileSync } from 'node:fs'
import { cupel } from '@cupel/system-tests'
import { afterAll, beforeAll, expect } from 'vitest'
import { openDesk, type Look } from './browser.js'

const desk = await openDesk()
afterAll(() => desk.close())

/** A starter label of every new installation. */
const LAZARUS = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'

interface Screened {
  readonly report_id: string
}

let path: string
beforeAll(async () => {
  if ((desk as Partial<typeof desk>).ready === undefined) return
  path = `/reports/${(await desk.api<Screened>('POST', '/v1/screen', { address: LAZARUS })).report_id}`
})

const looks: readonly (readonly [string, Look])[] = [
  ['in the dark', { colorScheme: 'dark' }],
  ['on a phone', { width: 390 }],
  ['without script', { javaScriptEnabled: false }],
]

for (const [name, look] of looks)
  desk.test(`the whole report can be read ${name}, and nothing is wider than the screen`, async () => {
    const page = await desk.signIn(path, look)
    const titles = await page.getByRole('heading', { level: 2 }).allTextContents()
    expect(titles).toEqual(expect.arrayContaining(['What is not known', 'Why', 'Provenance']))
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('95 of 100')
    await desk.screenshot(page, `report ${name}`)
    // axe-core itself is a script.
    if (look.javaScriptEnabled === false) return
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await desk.check(page)
  })

desk.test('on paper nothing is folded, and nothing that only a screen can do is shown', async () => {
  const page = await desk.signIn(path)
  await page.evaluate(`dispatchEvent(new Event('beforeprint'))`)
  await page.emulateMedia({ media: 'print' })
  expect(await page.locator('details:not([open])').count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Sign out' }).isVisible()).toBe(false)
  expect(await page.getByRole('heading', { level: 1 }).isVisible()).toBe(true)
})

desk.test('the keyboard reaches the content first and unfolds evidence', async () => {
  const page = await desk.signIn(path)
  await page.keyboard.press('Tab')
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content')
  await page.keyboard.press('Enter')
  expect(await page.evaluate('document.activeElement.id')).toBe('main')
  const folded = page.locator('details.evidence:not([open]) summary').first()
  await folded.focus()
  await page.keyboard.press('Enter')
  expect(await page.locator('details.evidence:not([open])').count()).toBe(0)
})

desk.test('the PDF of the report is one click away', async () => {
  const page = await desk.signIn(path)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'PDF' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^cupel-report-[0-9a-f]{16}\.pdf$/)
  expect(readFileSync(await download.path(), 'latin1').slice(0, 5)).toBe('%PDF-')
})

desk.test('a report that is nobody’s is a page that says so', async () => {
  const page = await desk.signIn('/reports/0000000000000000')
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('There is nothing here')
  await desk.check(page)
})

desk.test('a page that is open when its key is revoked shows nothing more', async () => {
  const created = await issue()
  const page = await desk.signIn(path, { key: created.key })
  await cupel(desk.ready.home, ['keys', 'revoke', created.key_id])

  await page.reload()

  expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe(
    `/sign-in?next=${encodeURIComponent(path)}`,
  )
  expect(await page.context().cookies()).toEqual([expect.objectContaining({ name: 'cupel-visit' })])
})

/** A further key of the demo account. */
async function issue(): Promise<{ readonly key: string; readonly key_id: string }> {
  const { account_id } = await desk.api<{ account_id: string }>('GET', '/v1/sessions/current')
  const order = ['--account', account_id, '--scope', 'read-only', '--plan', 'pro', '--json']
  return JSON.parse((await cupel(desk.ready.home, ['keys', 'create', ...order])).stdout) as Awaited<
    ReturnType<typeof issue>
  >
}
