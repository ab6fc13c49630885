/** Watches and the inbox in a browser: watched from the results of a job and from a list, then chosen, filtered, read and made into cases. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cupel } from '@cupel/system-tests'
import { until } from '@cupel/testkit'
import { afterAll, beforeAll, expect } from 'vitest'
import { openDesk } from './browser.js'

const desk = await openDesk()
afterAll(() => desk.close())

const ADDRESSES = [
  '0x00000000000000000000000000000000000000fe',
  '0x00000000000000000000000000000000000000fd',
] as const
const LISTED = '0x00000000000000000000000000000000000000fc'
let admin: string
async function answer(...args: string[]): Promise<Readonly<Record<string, string>>> {
  const { exitCode, stdout, stderr } = await cupel(desk.ready.home, [...args, '--json'])
  if (exitCode !== 0) throw new Error(stderr)
  return JSON.parse(stdout) as Record<string, string>
}
beforeAll(async () => {
  if ((desk as Partial<typeof desk>).ready === undefined) return
  const { account_id: account = '' } = await answer('accounts', 'create', 'Desk of the inbox')
  admin = (await answer('keys', 'create', '--account', account, '--scope', 'admin', '--plan', 'pro'))['key']!
})

interface Watches {
  readonly items: readonly { readonly last_report: object | null }[]
}

desk.test(
  'the addresses of a job and those of a list are watched, and what changed is chosen, read and made into cases',
  async () => {
    const job = await desk.api<{ job_id: string }>('POST', '/v1/bulk', { addresses: ADDRESSES }, admin)
    const page = await desk.signIn(`/bulk/${job.job_id}`, { key: admin })
    await until(async () => {
      await page.reload()
      expect(await page.getByText('Watch these addresses').count()).toBe(1)
    })
    await page.getByText('Watch these addresses').click()
    await page.getByRole('button', { name: 'Watch them' }).click()
    await page.getByText('2 addresses are watched').waitFor()
    await desk.check(page)
    await page.goto('/watches')
    await page.getByLabel(/^Addresses/).fill(LISTED)
    await page.getByRole('button', { name: 'Watch', exact: true }).click()
    await page.getByText('One address is watched').waitFor()
    await until(async () => {
      const { items } = await desk.api<Watches>('GET', '/v1/watches', undefined, admin)
      expect(items.filter(({ last_report: last }) => last !== null)).toHaveLength(3)
    })

    const rows = [...ADDRESSES, LISTED].map(
      (address) => `${address},ETH,scam,Fake shop,my_list,https://lists.example.com/1,0.9,2026-11-01`,
    )
    const file = join(desk.ready.home, 'my-list.csv')
    writeFileSync(
      file,
      ['address,chain,category,entity,source,source_url,confidence,observed_at', ...rows, ''].join('\n'),
    )
    await answer('labels', 'import', file, '--format', 'csv', '--set', 'my_list')
    await until(async () => {
      const { unread } = await desk.api<{ unread: number }>('GET', '/v1/inbox/unread', undefined, admin)
      expect(unread).toBe(3)
    })
    await page.goto('/inbox')
    await desk.check(page)
    await desk.screenshot(page, 'inbox')
    const boxes = page.getByRole('checkbox', { name: /^Choose / })
    const filters = page.getByRole('navigation', { name: 'Filter the inbox' })
    await filters.getByRole('link', { name: 'To green' }).click()
    await page.getByText('No entry here is like this.').waitFor()
    await filters.getByRole('link', { name: 'To red' }).click()
    await boxes.nth(2).waitFor()
    await boxes.nth(0).check()
    await boxes.nth(1).check()
    await page.getByText('Open cases for the chosen').click()
    await page.getByRole('button', { name: 'Open the cases' }).click()
    await page.getByText('2 cases were opened.').waitFor()
    await boxes.nth(0).check()
    await page.getByRole('button', { name: 'Mark the chosen as read' }).click()
    await page.getByText('One entry was marked.').waitFor()
    await filters.getByRole('link', { name: 'Unread: 2' }).click()
    await page.waitForURL((now) => now.searchParams.get('show') === 'unread')
    expect(await boxes.count()).toBe(2)
    await desk.check(page)
  },
)
