/** Administration in a browser: keys that two persons issue, accounts and people, the policy, the ledger and the usage, on a phone and by keyboard. */
import { cupel } from '@cupel/system-tests'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { openDesk } from './browser.js'

const desk = await openDesk({ CUPEL_KEY_SECOND_PERSON: 'true', CUPEL_POLICY_SECOND_PERSON: 'true' })
afterAll(() => desk.close())

let account: string
let keys: { readonly ann: string; readonly bob: string; readonly operator: string; readonly other: string }
beforeAll(async () => {
  if ((desk as Partial<typeof desk>).ready === undefined) return
  const answer = async (...args: string[]): Promise<Readonly<Record<string, string>>> => {
    const { exitCode, stdout, stderr } = await cupel(desk.ready.home, [...args, '--json'])
    if (exitCode !== 0) throw new Error(stderr)
    return JSON.parse(stdout) as Record<string, string>
  }
  account = (await answer('accounts', 'create', 'Desk of two'))['account_id']!
  const key = async (name: string, scope: string): Promise<string> => {
    const order = ['--account', account, '--scope', scope, '--plan', 'enterprise', '--name', name]
    return (await answer('keys', 'create', ...order))['key']!
  }
  keys = {
    ...{ ann: await key('Ann', 'admin'), bob: await key('Bob', 'admin') },
    ...{ operator: await key('Operator', 'operator'), other: await key('Other operator', 'operator') },
  }
})

const phone = { width: 390, colorScheme: 'dark' } as const
const heading = (page: Page) => page.getByRole('heading', { level: 1 }).innerText()
/** Moves the focus to the control only by Tab, as somebody without a mouse does. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let steps = 0; steps < 80; steps += 1) {
    await page.keyboard.press('Tab')
    const label = await page.evaluate(() => {
      const { activeElement: at } = document
      const named = at instanceof HTMLInputElement ? [...(at.labels ?? [])] : [at]
      return named.map((one) => one?.textContent?.trim() ?? '').join(' ')
    })
    if (name.test(label)) return
  }
  throw new Error(`No control by Tab: ${String(name)}`)
}

desk.test(
  'one person proposes a key, another one finds it in the inbox and confirms it by the keyboard',
  async () => {
    const ann = await desk.signIn('/keys', { key: keys.ann, ...phone })
    await ann.getByLabel('Name').fill('payments')
    await ann.getByLabel('Why').fill('the new service')
    await ann.getByRole('button', { name: 'Issue the key' }).click()
    await ann.waitForURL('**/changes/*')
    expect(await ann.getByRole('radio').count()).toBe(0)
    await desk.check(ann)
    await desk.screenshot(ann, 'change-own-phone-dark')
    await ann.goto('/keys')
    await ann.getByRole('link', { name: 'A new key' }).waitFor()
    await desk.check(ann)
    await desk.screenshot(ann, 'keys-with-proposal-phone-dark')

    const bob = await desk.signIn('/inbox', { key: keys.bob })
    await desk.check(bob)
    await desk.screenshot(bob, 'inbox-with-proposal')
    await tabTo(bob, /^A new key$/)
    await bob.keyboard.press('Enter')
    await bob.waitForURL('**/changes/*')
    expect(await bob.getByRole('radio', { checked: true }).count()).toBe(0)
    await desk.check(bob)
    await desk.screenshot(bob, 'change-to-confirm')
    await tabTo(bob, /^Confirm: it is made now$/)
    await bob.keyboard.press('Space')
    await tabTo(bob, /^Decide$/)
    await bob.keyboard.press('Enter')
    await bob.waitForURL('**/keys/*/new')
    expect(await heading(bob)).toBe('The key was issued')
    const key = await bob.locator('code.secret').innerText()
    await desk.check(bob)
    expect((await desk.api<{ scope: string }>('GET', '/v1/sessions/current', undefined, key)).scope).toBe(
      'read-write',
    )
    await bob.goto('/inbox')
    expect(await bob.getByRole('link', { name: 'A new key' }).count()).toBe(0)
  },
)

desk.test('an operator opens an account, issues nothing alone, and sees who signs in', async () => {
  const page = await desk.signIn('/accounts', { key: keys.operator, ...phone })
  await page.getByRole('link', { name: 'Desk of two', exact: true }).waitFor()
  await desk.check(page)
  await desk.screenshot(page, 'accounts-phone-dark')
  await page.getByText('Open an account').click()
  await page.getByLabel('Name').fill('Second bank')
  await page.getByRole('button', { name: 'Open the account' }).click()
  await page.waitForURL('**/keys?account_id=*')
  await desk.check(page)
  await page.getByLabel('Name').fill('their first')
  await page.getByLabel('Why').fill('contract 118')
  await page.getByRole('button', { name: 'Issue the key' }).click()
  await page.waitForURL('**/changes/*')
  await page.getByText('their first').waitFor()
  await page.getByRole('button', { name: 'Refuse it' }).click()
  await page.getByText('It was refused').waitFor()
  await desk.check(page)
})

desk.test('a policy is proposed by one operator and put in force by another', async () => {
  const page = await desk.signIn('/policy', { key: keys.operator })
  await desk.check(page)
  const { document } = await desk.api<{ document: { version: number; levels: object } }>('GET', '/v1/policy')
  const policy = { ...document, version: document.version + 1, levels: { ...document.levels, red: 80 } }
  const made = await desk.api<{ change_id: string }>(
    ...([
      'POST',
      '/v1/proposed-changes',
      { activate_policy: policy, reason: 'too many orange reports' },
      keys.operator,
    ] as const),
  )
  await page.goto(`/changes/${made.change_id}`)
  await page.getByRole('button', { name: 'Refuse it' }).waitFor()
  expect(await page.getByRole('radio').count()).toBe(0)
  const other = await desk.signIn('/inbox', { key: keys.other, ...phone })
  await other.getByRole('link', { name: /^The policy/ }).click()
  await other.getByText('Levels: red changes from 70 to 80.').waitFor()
  await desk.check(other)
  await desk.screenshot(other, 'policy-proposal-phone-dark')
  await tabTo(other, /^Confirm: it is made now$/)
  await other.keyboard.press('Space')
  await tabTo(other, /^Decide$/)
  await other.keyboard.press('Enter')
  await other.getByText('It was confirmed').waitFor()
  await desk.check(other)
})

desk.test('the ledger and the usage read well on a phone in the dark', async () => {
  const page = await desk.signIn('/ledger', { key: keys.operator, ...phone })
  await desk.check(page)
  await desk.screenshot(page, 'ledger-of-desk-phone-dark')
  await page.goto('/usage')
  await desk.check(page)
  await desk.screenshot(page, 'usage-phone-dark')
  const isWider = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
  expect(isWider).toBe(false)
})
