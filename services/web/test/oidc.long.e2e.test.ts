/** Signing in with a real provider in a browser, as people of a desk do. */
import { cupel } from '@cupel/system-tests'
import { IDENTITY_CLIENT, IDENTITY_SECRET, until } from '@cupel/testkit'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, expect } from 'vitest'
import { openDesk } from './browser.js'
import { startRealProvider } from './real-provider.js'

/** The people that the provider knows, and their groups. */
const provider = await startRealProvider({
  ann: ['desk'],
  bob: ['desk', 'auditors'],
  cleo: ['auditors'],
  eve: ['kitchen'],
})
let keys: { readonly desk: string; readonly auditors: string } = { desk: '', auditors: '' }
const desk = await openDesk({}, prepare)
afterAll(async () => {
  await desk.close()
  await provider.close()
})
if ((desk as Partial<typeof desk>).url !== undefined) provider.serve(desk.url)

/** Makes two keys, and the file that maps groups to them, as an operator does. */
async function prepare(home: string): Promise<Readonly<Record<string, string>>> {
  const run = async (...args: string[]): Promise<Readonly<Record<string, string>>> => {
    const { exitCode, stdout, stderr } = await cupel(home, [...args, '--json'])
    if (exitCode !== 0) throw new Error(stderr)
    return JSON.parse(stdout) as Record<string, string>
  }
  const { account_id: account = '' } = await run('accounts', 'create', 'Example Exchange')
  const key = async (name: string, scope: string): Promise<string> => {
    const order = ['--account', account, '--scope', scope, '--plan', 'enterprise', '--name', name]
    return (await run('keys', 'create', ...order))['key_id']!
  }
  keys = { desk: await key('desk', 'read-write'), auditors: await key('auditors', 'read-only') }
  const folder = join(home, 'oidc')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'secret'), IDENTITY_SECRET)
  const file = join(folder, 'oidc.json')
  const settings = { issuer: provider.issuer, client_id: IDENTITY_CLIENT, client_secret_file: 'secret' }
  writeFileSync(file, JSON.stringify({ ...settings, name: 'Example ID', groups: keys }))
  return { CUPEL_OIDC_FILE: file }
}

/** Signs in at the provider, which asks for consent the first time. */
async function signInAs(page: Page, name: string): Promise<void> {
  await page.locator('input[name=login]').fill(name)
  await page.locator('input[name=password]').fill('anything')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.waitForURL((url) => url.href.startsWith(`${desk.url}/`))
}

desk.test('a person signs in, works under the own name, and signs out of both', async () => {
  const page = await desk.newPage({ mayVisit: provider.issuer })
  await page.goto('/lists')
  await desk.check(page)
  await desk.screenshot(page, 'sign-in-oidc')
  await page.getByRole('link', { name: 'Sign in with Example ID' }).click()
  await signInAs(page, 'ann')

  await page.waitForURL('**/lists')
  expect(await page.locator('.person').textContent()).toContain('ann Example (ann)')
  await desk.check(page)
  await desk.screenshot(page, 'signed-in-oidc')
  await until(async () => {
    await page.goto('/audit')
    expect(await page.locator('main').textContent()).toContain('ann Example (ann)')
  })

  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
  await desk.check(page)
  await desk.screenshot(page, 'signed-out-oidc')
  await page.getByRole('link', { name: 'Sign out of Example ID too' }).click()
  await page.getByRole('button', { name: /Yes/ }).click()
  await page.waitForURL(`${desk.url}/sign-in`)
  await page.getByRole('link', { name: 'Sign in with Example ID' }).click()
  await page.locator('input[name=login]').waitFor()
})

desk.test('a person of two groups chooses the key, without a script and on a phone', async () => {
  const page = await desk.newPage({
    ...{ mayVisit: provider.issuer, javaScriptEnabled: false },
    ...{ width: 390, colorScheme: 'dark' },
  })
  await page.goto('/sign-in')
  await page.getByRole('link', { name: 'Sign in with Example ID' }).click()
  await signInAs(page, 'bob')
  await page.getByRole('heading', { name: 'How do you want to go on?' }).waitFor()
  await desk.screenshot(page, 'sign-in-choice-phone-dark')
  await page.getByRole('link', { name: 'read-only' }).click()
  await page.waitForURL(`${desk.url}/`)
  expect(await page.locator('.person').textContent()).toContain('read-only')
})

desk.test('a person whose groups may not is refused in words, and somebody else can sign in', async () => {
  const page = await desk.newPage({ mayVisit: provider.issuer })
  await page.goto('/sign-in')
  await page.getByRole('link', { name: 'Sign in with Example ID' }).click()
  await signInAs(page, 'eve')
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('You cannot sign in')
  expect(await page.locator('main').textContent()).toContain('none of your groups')
  await desk.check(page)
  await desk.screenshot(page, 'sign-in-refused')
  await page.getByRole('link', { name: 'Sign in as somebody else' }).click()
  await signInAs(page, 'cleo')
  expect(await page.locator('.person').textContent()).toContain('cleo Example (cleo)')
})

desk.test('the session of a person ends with the revocation of the key of the group', async () => {
  const page = await desk.newPage({ mayVisit: provider.issuer })
  await page.goto('/sign-in')
  await page.getByRole('link', { name: 'Sign in with Example ID' }).click()
  await signInAs(page, 'cleo')
  await page.goto('/lists')
  expect(new URL(page.url()).pathname).toBe('/lists')

  const { exitCode } = await cupel(desk.ready.home, ['keys', 'revoke', keys.auditors, '--json'])
  expect(exitCode).toBe(0)

  await until(async () => {
    await page.goto('/lists')
    expect(new URL(page.url()).pathname).toBe('/sign-in')
  })
})
