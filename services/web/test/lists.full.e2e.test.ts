/** A list, imported in a browser without a shell. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cupel } from '@cupel/system-tests'
import { afterAll, beforeAll, expect } from 'vitest'
import { openDesk } from './browser.js'

const desk = await openDesk()
afterAll(() => desk.close())

let operator: string
let file: string
const ADDRESS = '0x00000000000000000000000000000000000000ff'
const HEADER = 'address,chain,category,entity,source,source_url,confidence,observed_at'
const rowOf = (index: number): string =>
  `0x${(index + 1).toString(16).padStart(40, '0')},ETH,scam,Somebody of a list,my_list,https://example.org/list,0.8,2026-01-01`
const TRANSFERS = `chain,block_number,block_time,tx_hash,log_index,kind,asset,asset_address,from_address,to_address,amount_raw,amount,amount_usd,source,status,transaction_index
ETH,100,2026-11-20T00:00:00Z,0x${'1'.repeat(64)},,native,,,0x${'a'.repeat(40)},0x${'b'.repeat(40)},1000000000000000000,,,test,1,0
`
const listOf = (count: number): string =>
  [HEADER, ...Array.from({ length: count }, (_, index) => rowOf(index)), ''].join('\n')

beforeAll(async () => {
  if ((desk as Partial<typeof desk>).ready === undefined) return
  const answer = async (...args: string[]): Promise<Readonly<Record<string, string>>> => {
    const { exitCode, stdout, stderr } = await cupel(desk.ready.home, [...args, '--json'])
    if (exitCode !== 0) throw new Error(stderr)
    return JSON.parse(stdout) as Record<string, string>
  }
  const { account_id: account = '' } = await answer('accounts', 'create', 'Operations')
  const order = ['--account', account, '--scope', 'operator', '--plan', 'enterprise']
  operator = (await answer('keys', 'create', ...order))['key']!
  file = join(desk.ready.home, 'list.csv')
})

desk.test('an operator sends a list of several parts, sees what would change, and confirms it', async () => {
  // More than two parts of 512 KiB.
  writeFileSync(file, listOf(10_000))
  const page = await desk.signIn('/', { key: operator })
  await page.getByRole('link', { name: 'import the file' }).click()
  await page.waitForURL('**/lists#import')
  await desk.check(page)
  await page.getByLabel('Layout').selectOption('csv')
  await page.getByLabel('Name of the list').fill('mine')
  await page.getByLabel('File').setInputFiles(file)
  await page.getByRole('button', { name: 'See what would change' }).click()
  await page.getByRole('heading', { name: 'Confirm the import' }).waitFor()
  expect(await page.getByRole('group', { name: 'What would change' }).innerText()).toContain('10,000')
  await desk.check(page)
  await desk.screenshot(page, 'list-import')
  await page.getByRole('button', { name: 'Import the list' }).click()
  await page.getByText('The list is in force.').waitFor()
  await desk.check(page)
  const report = await desk.api<{ risk: { evidence: { entity: string }[] } }>('POST', '/v1/screen', {
    address: ADDRESS,
    chain: 'ETH',
  })
  expect(report.risk.evidence.map(({ entity }) => entity)).toContain('Somebody of a list')
})

desk.test(
  'a list that ends designations is refused until the person accepts that, also on a phone without scripts',
  async () => {
    writeFileSync(file, listOf(5_000))
    const page = await desk.signIn('/lists', {
      key: operator,
      width: 390,
      colorScheme: 'dark',
      javaScriptEnabled: false,
    })
    await page.getByLabel('Layout').selectOption('csv')
    await page.getByLabel('Name of the list').fill('mine')
    await page.getByLabel('File').setInputFiles(file)
    await page.getByRole('button', { name: 'See what would change' }).click()
    const accept = page.getByLabel('It is right that 5,000 labels')
    await accept.waitFor()
    await accept.check()
    await page.getByLabel('Why').fill('the list was cleaned')
    await desk.screenshot(page, 'list-import-phone-dark')
    await page.getByRole('button', { name: 'Import the list' }).click()
    await page.getByText('The list is in force.').waitFor()
  },
)

desk.test(
  'a file that cannot be read as its layout says why, and is not offered to be confirmed',
  async () => {
    writeFileSync(file, listOf(1).replace('chain,', 'network,'))
    const page = await desk.signIn('/lists', { key: operator })
    await page.getByLabel('Layout').selectOption('csv')
    await page.getByLabel('Name of the list').fill('mine')
    await page.getByLabel('File').setInputFiles(file)
    await page.getByRole('button', { name: 'See what would change' }).click()
    await page.getByText('the header must be address,chain').waitFor()
    expect(await page.getByRole('button', { name: 'Import the list' }).count()).toBe(0)
    await page.getByRole('link', { name: 'Choose another file or layout' }).click()
    await page.waitForURL('**/lists#import')
  },
)

desk.test('an operator sees what runs and what the ledger lacks', async () => {
  const page = await desk.signIn('/', { key: operator })
  await page.locator('.sections summary').click()
  await page.getByRole('link', { name: 'Health' }).click()
  await page.getByRole('heading', { name: 'Health', level: 1 }).waitFor()
  await desk.check(page)
  await page.locator('.sections summary').click()
  await page.getByRole('link', { name: 'Ledger' }).click()
  await page.getByText('No ledger was imported yet').waitFor()
  await desk.check(page)
  const transfers = join(desk.ready.home, 'transfers.csv')
  writeFileSync(transfers, TRANSFERS)
  const order = ['ledger', 'import', transfers, '--format', 'csv', '--chain', 'ETH', '--json']
  const range = ['--complete-from', '0', '--complete-to', '200', '--covers', 'native']
  expect(await cupel(desk.ready.home, [...order, ...range])).toMatchObject({ exitCode: 0 })
  await page.reload()
  await page.getByText('ETH, Internal calls: nobody declared a range.').waitFor()
  await page.getByRole('img', { name: 'native: declared 0–200' }).waitFor()
  await page.getByText('transfers.csv').waitFor()
  await desk.check(page)
  await desk.screenshot(page, 'ledger')
})

desk.test('somebody who does not operate reads the lists and is offered no import', async () => {
  const page = await desk.signIn('/lists')
  expect(await page.getByRole('button', { name: 'See what would change' }).count()).toBe(0)
  await desk.check(page)
})
