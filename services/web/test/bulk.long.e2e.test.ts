/** Jobs of many addresses in a browser: upload, check, progress, results, downloads, cancelling. */
import { readFileSync } from 'node:fs'
import { until } from '@cupel/testkit'
import type { Page } from 'playwright-core'
import { afterAll, expect } from 'vitest'
import { openDesk } from './browser.js'

const desk = await openDesk()
afterAll(() => desk.close())

/** Designated by OFAC; a starter label of every new installation. */
const LAZARUS = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
const BITCOIN = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'

const addressOf = (number: number): string => `0x${number.toString(16).padStart(40, '0')}`

async function paste(page: Page, text: string): Promise<void> {
  await page.getByLabel('Addresses').fill(text)
  await page.getByRole('button', { name: 'Read the addresses' }).click()
  await page.waitForURL('**/bulk/preview')
}

async function upload(page: Page, name: string, content: string | Buffer): Promise<void> {
  const buffer = Buffer.from(content)
  await page.getByLabel('Or a file').setInputFiles({ name, mimeType: 'text/csv', buffer })
  await page.getByRole('button', { name: 'Read the addresses' }).click()
  await page.waitForURL('**/bulk/preview')
}

const submit = async (page: Page, name: string | RegExp = /^Screen /): Promise<void> => {
  await page.getByRole('button', { name }).click()
  await page.waitForURL(/\/bulk\/job_[0-9a-f]+$/)
}

const ended = (page: Page): Promise<void> => page.getByText(/^Completed/).waitFor()

/** Texts of the cells of one column of the results. */
const column = (page: Page, number: number): Promise<string[]> =>
  page.locator(`table.results tbody td:nth-child(${number})`).allInnerTexts()

desk.test(
  'from the empty list over a pasted text to results, worst first, with a link to each report',
  async () => {
    const page = await desk.signIn('/bulk', { key: desk.ready.keys.read_write })
    expect(await page.getByText('There is no job yet').count()).toBe(1)
    await desk.check(page)
    await desk.screenshot(page, 'bulk-empty')
    await page.getByRole('link', { name: 'Screen many addresses' }).click()
    await desk.check(page)
    await desk.screenshot(page, 'bulk-form')

    await paste(page, `${BITCOIN}\n${LAZARUS}\nnonsense`)
    expect(await page.locator('main').innerText()).toContain('3 addresses in this column, 1 of them no valid')
    await desk.check(page)
    await desk.screenshot(page, 'bulk-preview-list')
    await submit(page, 'Screen 3 addresses')
    await ended(page)

    const [first, ...rest] = await column(page, 1)
    expect(first).toMatch(/Red/)
    expect(rest).toContain('Failed')
    expect((await column(page, 3))[0]).toMatch(/Lazarus/)
    await desk.check(page)
    await desk.screenshot(page, 'bulk-results')
    await page.locator('table.results').getByRole('link', { name: /Red/ }).click()
    await page.waitForURL('**/reports/*')
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toMatch(/^Red, /)
  },
)

desk.test(
  'a CSV shows its columns; another one can be chosen, and lines without an address left out',
  async () => {
    const page = await desk.signIn('/bulk/new')
    await upload(
      page,
      'clients.csv',
      `client,backup address,address\r\n"Doe, Jane",${addressOf(9)},${LAZARUS}\r\nACME,,0x1234\r\n,${addressOf(8)},${LAZARUS}\r\n`,
    )

    // Two columns have addresses: the page asks which one, and chooses none.
    expect(await page.getByRole('radio', { checked: true }).count()).toBe(0)
    expect(await page.getByRole('button', { name: /^Screen / }).count()).toBe(0)
    await desk.check(page)
    await desk.screenshot(page, 'bulk-preview-question')
    await page.getByRole('radio', { name: 'address', exact: true }).check()
    await page.getByLabel('Which column has your references?').selectOption({ label: 'client' })
    await page.getByRole('button', { name: 'Read it again' }).click()
    await page.locator('.lead').getByText('3 addresses').waitFor()
    expect(await page.getByRole('group', { name: 'Lines: No valid address' }).innerText()).toContain('0x1234')
    expect(await page.getByRole('group', { name: 'Lines: No valid address' }).count()).toBe(1)
    await desk.check(page)
    await desk.screenshot(page, 'bulk-preview-csv')

    await page.getByRole('checkbox', { name: /Leave out 1 line/ }).check()
    await submit(page)
    await ended(page)
    expect(await column(page, 2)).toHaveLength(2)
    expect((await column(page, 4)).sort()).toEqual(['Doe, Jane', '–'])
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('clients')
    await desk.check(page)
    await desk.screenshot(page, 'bulk-results-references')

    await page.getByText('Your file with the results').click()
    const buffer = Buffer.from(
      `client,backup address,address\r\n"Doe, Jane",${addressOf(9)},${LAZARUS}\r\nACME,,0x1234\r\n`,
    )
    await page.getByLabel('File').setInputFiles({ name: 'clients.csv', mimeType: 'text/csv', buffer })
    await desk.screenshot(page, 'bulk-join')
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download it with the results' }).click(),
    ])
    const [head, jane, acme] = readFileSync(await file.path(), 'utf8').split('\r\n')
    expect(head).toMatch(/^client,backup address,address,cupel_number,cupel_status,.*cupel_reference$/)
    expect(jane).toMatch(new RegExp(`^"Doe, Jane",${addressOf(9)},${LAZARUS},1,completed,.*,red,`))
    expect(acme).toContain('not in this job')

    await page.getByText('Open cases for all red').click()
    await page.getByRole('button', { name: 'Open the cases' }).click()
    expect(await page.getByRole('status').innerText()).toContain('2 cases were opened.')
    await page.getByText('Open cases for all red').click()
    await page.getByRole('button', { name: 'Open the cases' }).click()
    expect(await page.getByRole('status').innerText()).toContain('0 cases were opened.')
    await page.goto('/bulk')
    expect(await page.locator('main').innerText()).toMatch(/■ Red 2\s+clients\s+Completed\s+2/)
  },
)

desk.test('nothing, a workbook and a wrong column are refused in words', async () => {
  const page = await desk.signIn('/bulk/new')
  await paste(page, '  \n')
  expect(await page.getByRole('alert').innerText()).toContain('There is nothing in it')
  await desk.check(page)
  await upload(page, 'book.xlsx', Buffer.from('504b0304140000000800', 'hex'))
  expect(await page.getByRole('alert').innerText()).toContain('Save it as CSV')
  await upload(page, 'a.csv', `address,empty\n${LAZARUS},\n`)
  await page.getByRole('radio', { name: 'empty' }).check()
  await page.getByRole('button', { name: 'Read it again' }).click()
  expect(await page.getByRole('alert').innerText()).toContain('no addresses')
  expect(await page.getByRole('button', { name: /^Screen/ }).count()).toBe(0)
})

desk.test('a hostile file stays text: nothing runs, nothing is loaded, nothing breaks out', async () => {
  const page = await desk.signIn('/bulk/new')
  const cells = [
    '<script>document.title="run"</script>',
    '"</textarea><img src=x onerror=""document.title=1"">"',
    '=HYPERLINK(""http://example.com"")',
    '\u202etxt.exe',
    'a'.repeat(300),
    "'; DROP TABLE job; --",
  ]
  await upload(
    page,
    'x.csv',
    `<b>name</b>,address\n${cells.map((cell) => `${cell},${cell}`).join('\n')}\n,${LAZARUS}`,
  )
  expect(await page.title()).toContain('Check what was read')
  expect(await page.locator('main img, main script').count()).toBe(0)
  await desk.check(page)
  await desk.screenshot(page, 'bulk-hostile')
  await submit(page)
  await ended(page)
  expect(await page.locator('main img, main script').count()).toBe(0)
  await desk.check(page)
  await desk.screenshot(page, 'bulk-hostile-results')
})

desk.test(
  'a thousand addresses: the page shows the end by itself, then pages, filters and files',
  async () => {
    const page = await desk.signIn('/bulk/new')
    await upload(
      page,
      'many.txt',
      [...Array.from({ length: 999 }, (_, index) => addressOf(index + 4_096)), LAZARUS].join('\n'),
    )
    await submit(page, 'Screen 1,000 addresses')
    await desk.screenshot(page, 'bulk-progress')
    // The test does not reload the page: the page follows the job and shows its end by itself.
    await page.getByText('Completed.').waitFor()

    expect(await column(page, 1)).toHaveLength(100)
    expect((await column(page, 1))[0]).toMatch(/Red/)
    await desk.check(page)
    await desk.screenshot(page, 'bulk-thousand')
    await page.getByRole('link', { name: 'Next page' }).click()
    await page.waitForURL('**/*page_token=*')
    expect(await column(page, 1)).toHaveLength(100)
    await page.getByRole('link', { name: /Red 1$/ }).click()
    await page.waitForURL('**/*level=red*')
    expect(await column(page, 2)).toHaveLength(1)

    const csv = await download(page, 'CSV')
    expect(csv.split('\r\n')).toHaveLength(1_002)
    expect(csv.split('\r\n')[1]).toContain(LAZARUS)
    const json = JSON.parse(await download(page, 'JSON')) as { results: unknown[] }
    expect(json.results).toHaveLength(1_000)
    expect(await download(page, 'PDF summary')).toMatch(/^%PDF/)
  },
)

async function download(page: Page, name: string): Promise<string> {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name, exact: true }).click(),
  ])
  return readFileSync(await file.path(), 'latin1')
}

desk.test(
  'more than a thousand become several jobs, and the same form sent again makes no others',
  async () => {
    const page = await desk.signIn('/bulk/new')
    await upload(page, 'many.txt', Array.from({ length: 1_001 }, (_, index) => `junk-${index}`).join('\n'))
    expect(await page.locator('main').innerText()).toContain('these become 2 jobs')
    await desk.check(page)
    const before = await jobCount()
    await page.evaluate(async () => {
      const form = document.querySelector<HTMLFormElement>('main form')!
      await fetch(form.action, { method: 'POST', body: new FormData(form) })
    })
    // The list shows a job a moment after its submission.
    await expect.poll(jobCount, { timeout: 180_000 }).toBe(before + 2)
    await page.getByRole('button', { name: 'Screen 1,001 addresses in 2 jobs' }).click()
    await page.waitForURL('**/bulk?made=2')
    expect(await page.getByRole('status').innerText()).toContain('2 jobs were submitted')
    expect(await jobCount()).toBe(before + 2)
    await desk.check(page)
    await desk.screenshot(page, 'bulk-list')
    await page.goto('/bulk/new')
    await upload(page, 'many.txt', `x\n`.repeat(5_001))
    expect(await page.getByRole('alert').innerText()).toContain('at most 5,000')
    expect(await page.getByRole('button', { name: /^Screen/ }).count()).toBe(0)
  },
)

async function jobCount(): Promise<number> {
  return (await desk.api<{ items: unknown[] }>('GET', '/v1/bulk?page_size=50')).items.length
}

desk.test(
  'without script the whole way works, and the page of a running job is refreshed by hand',
  async () => {
    const page = await desk.signIn('/bulk/new', { javaScriptEnabled: false })
    await paste(page, `${LAZARUS}\n${BITCOIN}`)
    await submit(page)
    await until(async () => {
      await page.reload()
      expect(await page.locator('main').innerText()).toContain('Completed.')
    })
    expect((await column(page, 1))[0]).toMatch(/Red/)
  },
)

desk.test('a job is cancelled after a second question; what was not done says so', async () => {
  // Without script the page does not change, however fast the job ends.
  const page = await desk.signIn('/bulk/new', { javaScriptEnabled: false })
  const addresses = Array.from({ length: 1_000 }, (_, index) => addressOf(index + 65_536))
  await upload(page, 'many.txt', addresses.join('\n'))
  await submit(page)
  const job = new URL(page.url()).pathname
  await page.getByText('Cancel this job').click()
  await desk.screenshot(page, 'bulk-cancel')
  await page.getByRole('button', { name: 'Cancel what is not done' }).click()
  const after = await desk.signIn(job)
  await after.getByText(/^Cancelled\.|^Completed\./).waitFor()
  await desk.check(after)
  await desk.screenshot(after, 'bulk-cancelled')
})

desk.test(
  'a read-only session checks files and sees jobs, and is offered nothing that it may not do',
  async () => {
    const job = await desk.api<{ job_id: string }>('POST', '/v1/bulk', { addresses: [LAZARUS] })
    const page = await desk.signIn('/bulk', { key: desk.ready.keys.read_only })
    expect(await page.getByRole('link', { name: 'Screen many addresses' }).count()).toBe(0)
    await page.goto('/bulk/new')
    await paste(page, LAZARUS)
    expect(await page.getByRole('button', { name: /^Screen/ }).count()).toBe(0)
    await page.goto(`/bulk/${job.job_id}`)
    await ended(page)
    expect(await page.getByText('Cancel this job').count()).toBe(0)
  },
)

desk.test('a job that nobody has, or another environment, is not there', async () => {
  const page = await desk.signIn(`/bulk/job_${'0'.repeat(32)}`)
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('There is nothing here')
  await page.goto('/bulk/nonsense')
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('There is nothing here')
})

desk.test.each([
  ['dark', { colorScheme: 'dark' }],
  ['phone', { width: 390 }],
] as const)('every page holds in %s', async (name, look) => {
  const page = await desk.signIn('/bulk/new', look)
  await paste(page, `client,address\nA,${LAZARUS}\nB,${BITCOIN}\nC,nonsense`)
  await desk.check(page)
  await desk.screenshot(page, `bulk-preview-${name}`)
  await submit(page)
  await ended(page)
  await desk.check(page)
  await desk.screenshot(page, `bulk-results-${name}`)
  await page.goto('/bulk')
  await desk.check(page)
  await desk.screenshot(page, `bulk-list-${name}`)
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  expect(overflow).toBeLessThanOrEqual(0)
})
