/** Own labels and the search of labels in a browser, with the report that a label changes. */
import { cupel } from '@cupel/system-tests'
import { afterAll, beforeAll, expect } from 'vitest'
import { openDesk } from './browser.js'

const desk = await openDesk()
afterAll(() => desk.close())

const ADDRESS = '0x00000000000000000000000000000000000000fe'
let admin: string
beforeAll(async () => {
  if ((desk as Partial<typeof desk>).ready === undefined) return
  const answer = async (...args: string[]): Promise<Readonly<Record<string, string>>> => {
    const { exitCode, stdout, stderr } = await cupel(desk.ready.home, [...args, '--json'])
    if (exitCode !== 0) throw new Error(stderr)
    return JSON.parse(stdout) as Record<string, string>
  }
  const { account_id: account = '' } = await answer('accounts', 'create', 'Desk of labels')
  admin = (await answer('keys', 'create', '--account', account, '--scope', 'admin', '--plan', 'pro'))['key']!
})

desk.test(
  'a person blocks an address by keyboard, sees it in the report, and removes the label',
  async () => {
    const page = await desk.signIn('/labels', { key: admin })
    await desk.check(page)
    await page.getByLabel('Address', { exact: true }).focus()
    await page.keyboard.type(ADDRESS)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Block: scam')
    await page.keyboard.press('Tab')
    await page.keyboard.type('it took deposits')
    await page.keyboard.press('Enter')
    await page.getByText('The label counts from the next screen on.').waitFor()
    await desk.check(page)
    await desk.screenshot(page, 'own-labels')
    const body = { address: ADDRESS, chain: 'ETH' }
    const report = await desk.api<{ report_id: string; risk: { level: string } }>(
      'POST',
      '/v1/screen',
      body,
      admin,
    )
    expect(report.risk.level).toBe('red')
    await page.goto(`/reports/${report.report_id}`)
    await page.getByText('Blocked by your label (scam)').first().waitFor()
    expect(await page.content()).not.toContain('it took deposits')
    await page.goto('/labels')
    await page.getByRole('button', { name: 'Remove the label' }).click()
    await page.getByText('The label counts no more.').waitFor()
    const after = await desk.api<{ risk: { level: string } }>('POST', '/v1/screen', body, admin)
    expect(after.risk.level).not.toBe('red')
  },
)

desk.test('on a phone in the dark, without scripts, a person searches the labels of lists', async () => {
  const look = { key: admin, width: 390, colorScheme: 'dark', javaScriptEnabled: false } as const
  const page = await desk.signIn('/labels/search', look)
  await page.getByLabel('Address', { exact: true }).fill('0x098B716B8Aaf21512996dC57EB0615e2383E2f96')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByText('cupel_starter').first().waitFor()
  await desk.screenshot(page, 'label-search-phone-dark')
  await page.goto('/labels')
  await desk.screenshot(page, 'own-labels-phone-dark')
})

desk.test('the search is accessible', async () => {
  const page = await desk.signIn('/labels/search?category=sanctions', { key: admin })
  await desk.check(page)
})
