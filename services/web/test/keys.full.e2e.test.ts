/** Keys of an account, administered in a browser without a shell. */
import { cupel } from '@cupel/system-tests'
import { afterAll, beforeAll, expect } from 'vitest'
import { openDesk } from './browser.js'

const desk = await openDesk()
afterAll(() => desk.close())

let admin: string
beforeAll(async () => {
  if ((desk as Partial<typeof desk>).ready === undefined) return
  const answer = async (...args: string[]): Promise<Readonly<Record<string, string>>> => {
    const { exitCode, stdout, stderr } = await cupel(desk.ready.home, [...args, '--json'])
    if (exitCode !== 0) throw new Error(stderr)
    return JSON.parse(stdout) as Record<string, string>
  }
  const { account_id: account = '' } = await answer('accounts', 'create', 'Desk of keys')
  const order = ['--account', account, '--scope', 'admin', '--plan', 'pro', '--name', 'the administrator']
  admin = (await answer('keys', 'create', ...order))['key']!
})

desk.test('a person issues, restricts, rotates and revokes a key, also on a phone in the dark', async () => {
  const page = await desk.signIn('/keys', { key: admin, width: 390, colorScheme: 'dark' })
  await desk.check(page)
  await page.getByLabel('Name').fill('payments')
  await page.getByLabel('Why').fill('the new service')
  await page.getByRole('button', { name: 'Issue the key' }).click()
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('The key was issued')
  const key = await page.locator('code.secret').innerText()
  await desk.check(page)
  expect((await desk.api<{ scope: string }>('GET', '/v1/sessions/current', undefined, key)).scope).toBe(
    'read-write',
  )
  await page.reload()
  expect(await page.content()).not.toContain(key)

  await page.getByRole('link', { name: 'To the key' }).click()
  await page.getByText('Change the key').click()
  await page.getByLabel('May', { exact: true }).selectOption('read-only')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The key was changed.').waitFor()
  await desk.check(page)
  await desk.screenshot(page, 'key-phone-dark')
  expect((await desk.api<{ scope: string }>('GET', '/v1/sessions/current', undefined, key)).scope).toBe(
    'read-only',
  )

  await page.getByText('Rotate the key').click()
  await page.getByRole('button', { name: 'Issue a successor' }).click()
  const successor = await page.locator('code.secret').innerText()
  expect(successor).not.toBe(key)
  await page.getByRole('link', { name: 'To the key' }).click()
  await page.getByText('Revoke the key').click()
  await page.getByRole('button', { name: 'Revoke it' }).click()
  await page.getByText('The key was revoked.').waitFor()
  await desk.check(page)
  await expect(desk.api('GET', '/v1/reports', undefined, successor)).rejects.toThrow('401')
})

desk.test('what a key may not give is refused in words, and its own key keeps its rights', async () => {
  const page = await desk.signIn('/keys', { key: admin })
  await page.getByLabel('Plan').selectOption('enterprise')
  await page.getByRole('button', { name: 'Issue the key' }).click()
  expect(await page.getByRole('alert').innerText()).toContain('may not give the plan enterprise')
  await desk.check(page)
  await page.goto('/keys')
  await page.getByRole('link', { name: 'the administrator' }).click()
  expect(await page.getByText('Revoke the key').count()).toBe(0)
  await desk.check(page)
  await desk.screenshot(page, 'key-own')
})

desk.test('somebody who does not administer finds no way there', async () => {
  const page = await desk.signIn('/')
  await page.getByText('Administration', { exact: true }).click()
  await page.getByRole('navigation').getByRole('link', { name: 'Policy' }).waitFor()
  expect(await page.getByRole('navigation').getByRole('link', { name: 'Keys' }).count()).toBe(0)
  await page.goto('/keys')
  expect(await page.content()).toContain('lacks the scope')
  await desk.check(page)
})
