/** The first minutes of an installation in a browser: an example, the demo, a list, the same address again, and no demo any more. */
import { afterAll, expect } from 'vitest'
import { openDesk } from './browser.js'

const desk = await openDesk()
afterAll(() => desk.close())

/** A whole list of OFAC in the columns of Cupel, dated today. */
const listOf = (day: string): string =>
  [
    'address,chain,category,entity,source,source_url,confidence,observed_at',
    `0x00000000000000000000000000000000000000ff,ETH,sanctions,Somebody,ofac_sdn,,1,${day}`,
    '',
  ].join('\n')

/** The page of an import whose file was sent and looked at. */
async function lookedAt(): Promise<string> {
  const { operator } = desk.ready.keys
  const content = Buffer.from(listOf(new Date().toISOString().slice(0, 10))).toString('base64')
  const { import_id: id } = await desk.api<{ import_id: string }>(
    ...(['POST', '/v1/list-imports', { format: 'csv', dataset: 'sdn', whole: true }, operator] as const),
  )
  await desk.api('POST', `/v1/list-imports/${id}/parts`, { part: 0, content }, operator)
  await desk.api('POST', `/v1/list-imports/${id}/check`, undefined, operator)
  return `/lists/imports/${id}`
}

desk.test(
  'an operator goes from nothing to a green report and to a path of money, and removes the demo',
  async () => {
    const page = await desk.signIn('/', { key: desk.ready.keys.operator })
    expect(await page.evaluate('document.activeElement.id')).toBe('address')
    await desk.check(page)
    await page.getByRole('button', { name: 'An exchange' }).click()
    await page.getByText('Not cleared').first().waitFor()
    await page.goto('/')
    await page.getByRole('button', { name: /^Screen again: 0x28C6/ }).waitFor()

    await page.getByRole('button', { name: 'Turn the demo on' }).click()
    await page.getByRole('button', { name: 'Remove the demo' }).waitFor()
    await desk.check(page)
    await desk.screenshot(page, 'home-with-demo')
    await page.getByRole('button', { name: 'Demo: a customer with money from a mixer' }).click()
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.getByText('Demo: the report rests on made-up labels and transfers.').waitFor()
    expect(await page.locator('.flow-wide a').count()).toBeGreaterThan(2)
    await desk.check(page)
    await desk.screenshot(page, 'demo-report')

    await page.goto(await lookedAt())
    await page.getByRole('button', { name: 'Import the list' }).click()
    await page.getByText('The list is in force.').waitFor()
    await page.getByRole('link', { name: 'Screen an address again' }).click()
    await page.getByRole('button', { name: /^Screen again: 0x28C6/ }).click()
    await page.locator('.verdict-green').waitFor()
    await desk.screenshot(page, 'green-after-list')

    await page.goto('/')
    await page.getByRole('button', { name: 'Remove the demo' }).click()
    await page.getByRole('button', { name: 'Remove the demo' }).waitFor({ state: 'detached' })
    await page.getByText('The demo is being removed').waitFor({ state: 'detached' })
    await page.goto('/screen?address=0xdecade0000000000000000000000000000000001&chain=ETH')
    await page.getByRole('button', { name: 'Screen', exact: true }).click()
    await page.locator('.verdict-grey').waitFor()
    expect(await page.getByText('made-up labels').count()).toBe(0)
  },
)
