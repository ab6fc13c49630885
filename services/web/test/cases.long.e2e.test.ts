/** Sharing a report and deciding about it, in a browser. */
import { cupel } from '@cupel/system-tests'
import type { ReportCase } from '@cupel/contracts'
import { until } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { openDesk } from './browser.js'

const desk = await openDesk({ CUPEL_CASE_SECOND_PERSON: 'red' })
afterAll(() => desk.close())

/** A starter label of every new installation. */
const LAZARUS = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'

/** Two people of one account, and one who only reads. */
let keys: { readonly ann: string; readonly bob: string; readonly reader: string }
beforeAll(async () => {
  if ((desk as Partial<typeof desk>).ready === undefined) return
  const answer = async (...args: string[]): Promise<Readonly<Record<string, string>>> => {
    const { exitCode, stdout, stderr } = await cupel(desk.ready.home, [...args, '--json'])
    if (exitCode !== 0) throw new Error(stderr)
    return JSON.parse(stdout) as Record<string, string>
  }
  const { account_id: account = '' } = await answer('accounts', 'create', 'Desk of cases')
  const key = async (name: string, scope: string): Promise<string> => {
    const order = ['--account', account, '--scope', scope, '--plan', 'enterprise', '--name', name]
    return (await answer('keys', 'create', ...order))['key']!
  }
  const [ann, bob, reader] = await Promise.all([
    key('ann', 'read-write'),
    key('bob', 'read-write'),
    key('reader', 'read-only'),
  ])
  keys = { ann, bob, reader }
})

const newReport = async (): Promise<string> =>
  (await desk.api<{ report_id: string }>('POST', '/v1/screen', { address: LAZARUS }, keys.ann)).report_id
const caseOf = (id: string): Promise<ReportCase> =>
  desk.api<ReportCase>('GET', `/v1/reports/${id}/case`, undefined, keys.ann)

describe('a share link', () => {
  desk.test(
    'made on the page of a report opens it for somebody without a key, until it is revoked',
    async () => {
      const id = await newReport()
      const page = await desk.signIn(`/reports/${id}`, { key: keys.ann })
      await page.getByLabel('For whom').fill('Auditor <b>x</b>')
      await page.getByRole('button', { name: 'Make a link' }).click()
      const url = await page.getByLabel('Link to the report').inputValue()
      expect(url).toMatch(new RegExp(`^${desk.url}/shared/cupel_share_[A-Za-z0-9_-]{43}$`))
      await desk.check(page)
      await desk.screenshot(page, 'share-new')
      expect(page.url()).not.toContain('cupel_share_')
      await page.reload()
      expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('The link was shown once')
      expect(await page.content()).not.toContain('cupel_share_')
      await desk.check(page)

      const reader = await desk.newPage({ javaScriptEnabled: false })
      const answer = await reader.goto(url)
      expect(answer!.headers()).toMatchObject({
        'referrer-policy': 'no-referrer',
        'x-robots-tag': 'noindex, nofollow',
        'cache-control': 'no-store',
      })
      expect(await reader.getByRole('heading', { level: 1 }).textContent()).toMatch(/^Red, /)
      expect(await reader.getByRole('link', { name: 'PDF' }).count()).toBe(0)
      expect(await reader.getByRole('heading', { name: 'Case' }).count()).toBe(0)
      expect(await reader.context().cookies()).toEqual([])
      await desk.screenshot(reader, 'shared-report')

      await page.goto(`/reports/${id}`)
      expect(await page.getByRole('group', { name: 'Links to this report' }).textContent()).toContain('1 ×')
      await desk.check(page)
      await page.getByRole('button', { name: /^Revoke the link/ }).click()
      await page.waitForURL(`**/reports/${id}#shares`)
      expect(await page.getByRole('group', { name: 'Links to this report' }).textContent()).toContain(
        'revoked',
      )
      const closed = await reader.goto(url)
      expect(closed!.status()).toBe(404)
      expect(await reader.getByRole('heading', { level: 1 }).textContent()).toBe('This link opens nothing')
    },
  )

  desk.test('that nobody made shows nothing, and is checked like every page', async () => {
    const page = await desk.newPage()
    expect((await page.goto('/shared/anything'))!.status()).toBe(404)
    await desk.check(page)
  })
})

describe('a case', () => {
  desk.test('goes from a note over a proposal to a second person, and through the list of work', async () => {
    const id = await newReport()
    const ann = await desk.signIn(`/reports/${id}`, { key: keys.ann })
    await ann.getByLabel('Note').fill('Asked the customer.\n<script>alert(1)</script>')
    await ann.getByRole('button', { name: 'Add the note' }).click()
    await ann.waitForURL(`**/reports/${id}#case`)
    expect(await ann.locator('.entry-text').textContent()).toBe(
      'Asked the customer.\n<script>alert(1)</script>',
    )

    await ann.getByLabel('Disposition').selectOption('cleared')
    await ann.getByLabel('Reason').fill('A refund')
    await ann.getByRole('button', { name: 'Decide' }).click()
    await ann.getByText('Another person must confirm it').waitFor()
    await desk.check(ann)
    await desk.screenshot(ann, 'case')

    const bob = await desk.signIn('/cases', { key: keys.bob, width: 390, colorScheme: 'dark' })
    expect(await bob.getByRole('group', { name: 'Cases' }).textContent()).toContain(
      'waits for a second person',
    )
    await desk.check(bob)
    await desk.screenshot(bob, 'cases-phone-dark')
    await bob.getByRole('link', { name: LAZARUS }).first().click()
    await bob.waitForURL(`**/cases/${id}`)
    expect(await bob.getByRole('region', { name: 'Case', exact: true }).textContent()).toContain('ann')
    await bob.getByLabel('Reason').fill('The bank says so')
    const decision = bob.getByLabel('Confirm or refuse the proposal')
    expect(await decision.inputValue(), 'nothing is chosen in advance').toBe('')
    await decision.selectOption('cleared')
    await bob.getByRole('button', { name: 'Decide' }).click()
    await bob.getByText('confirmed Cleared').waitFor()
    expect(await caseOf(id)).toMatchObject({ disposition: 'cleared', version: 3, proposal: null })
    await desk.check(bob)
    await bob.goto('/cases')
    expect(await bob.locator(`a[href^="/cases/${id}"]`).count()).toBe(0)
    await bob.goto('/cases?disposition=cleared')
    expect(await bob.locator(`a[href^="/cases/${id}"]`).count()).toBe(1)

    await bob.goto('/history')
    await bob.getByLabel('Case').selectOption('Cleared')
    await until(async () => {
      await bob.getByRole('button', { name: 'Search' }).click()
      expect(await bob.locator(`a[href="/reports/${id}"]`).count()).toBe(1)
    })
    await bob.goto('/history?disposition=none')
    expect(await bob.locator(`a[href="/reports/${id}"]`).count()).toBe(0)

    await bob.goto(`/reports/${await newReport()}`)
    const decisions = bob.getByRole('region', { name: 'Decisions on other reports' })
    expect(await decisions.textContent()).toContain('The bank says so')
    await desk.check(bob)
  })

  desk.test('is assigned until a day, takes a file, and gives its dossier', async () => {
    const id = await newReport()
    const other = await newReport()
    const ann = await desk.signIn(`/cases/${id}`, { key: keys.ann })
    await ann.getByLabel('Assigned to').selectOption('ann (you)')
    await ann.getByLabel('Due on').fill('2020-01-31')
    await ann.getByRole('button', { name: 'Assign' }).click()
    await ann.getByText('This case is overdue since 2020-01-31.').waitFor()
    await ann.getByLabel(/^PDF, PNG, JPEG or text/).setInputFiles({
      ...{ name: 'Contract \u202efdp.txt', mimeType: 'application/pdf' },
      buffer: Buffer.from('<script>alert(1)</script>'),
    })
    await ann.getByRole('button', { name: 'Attach the file' }).click()
    const file = ann.getByRole('region', { name: 'Files' }).getByRole('link')
    expect(await file.textContent()).toMatch(
      /^Contract \[U\+202E\]fdp\.txt \(text, 25 bytes, SHA-256 [0-9a-f]{64}\)$/,
    )
    await ann
      .getByRole('region', { name: 'Other reports of this address' })
      .locator(`a[href="/cases/${other}"]`)
      .waitFor()
    await desk.check(ann)
    await desk.screenshot(ann, 'case-whole')
    const [download] = await Promise.all([ann.waitForEvent('download'), file.click()])
    expect(download.suggestedFilename()).toBe(`cupel-case-${id}-2.txt`)
    const [dossier] = await Promise.all([
      ann.waitForEvent('download'),
      ann.getByRole('link', { name: 'Dossier as PDF' }).click(),
    ])
    expect(dossier.suggestedFilename()).toBe(`cupel-case-${id}.pdf`)

    await ann.goto('/cases')
    for (const name of ['Mine', 'Overdue']) {
      await ann.getByRole('navigation', { name: 'Assigned to' }).getByRole('link', { name }).click()
      const row = ann.getByRole('row').filter({ has: ann.locator(`a[href="/cases/${id}"]`) })
      expect(await row.textContent()).toContain('Overdue since 2020-01-31')
    }
    await desk.check(ann)
    const bob = await desk.signIn('/cases?whose=me', { key: keys.bob, width: 390, colorScheme: 'dark' })
    expect(await bob.locator(`a[href="/cases/${id}"]`).count()).toBe(0)
    await bob.goto(`/cases/${id}`)
    await desk.check(bob)
    await desk.screenshot(bob, 'case-whole-phone-dark')
    const reader = await desk.signIn(`/cases/${id}`, { key: keys.reader })
    expect(await reader.getByRole('button', { name: /Assign|Attach/ }).count()).toBe(0)
    expect((await reader.goto('/cases/0123456789abcdef'))!.status()).toBe(404)
  })

  desk.test(
    'decided by one who has not read what another wrote is not changed, and the text is kept',
    async () => {
      const id = await newReport()
      const ann = await desk.signIn(`/reports/${id}`, { key: keys.ann, javaScriptEnabled: false })
      await desk.api('POST', `/v1/reports/${id}/notes`, { text: 'From elsewhere' }, keys.bob)
      await ann.getByLabel('Disposition').selectOption('escalated')
      await ann.getByLabel('Reason').fill('My own reason')
      await ann.getByRole('button', { name: 'Decide' }).click()
      expect(await ann.getByRole('alert').textContent()).toContain('Somebody else has changed the case')
      expect(await ann.getByLabel('Reason').inputValue()).toBe('My own reason')
      expect(await ann.getByText('From elsewhere').count()).toBe(1)
      await ann.getByRole('button', { name: 'Decide' }).click()
      await ann.waitForURL(`**/reports/${id}#case`)
      expect(await caseOf(id)).toMatchObject({ disposition: 'escalated', version: 2 })
    },
  )

  desk.test('is read and not changed by one who only reads', async () => {
    const id = await newReport()
    await desk.api('POST', `/v1/reports/${id}/notes`, { text: 'To be read' }, keys.ann)
    const page = await desk.signIn(`/reports/${id}`, { key: keys.reader })
    expect(await page.getByText('To be read').count()).toBe(1)
    for (const name of ['Add the note', 'Decide', 'Make a link'])
      expect(await page.getByRole('button', { name }).count()).toBe(0)
    await desk.check(page)
  })
})
