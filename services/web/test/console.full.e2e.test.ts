/** The console as a compliance desk uses it: screening, history, comparison, lists, policy, usage and audit log in a browser. */
import { cupel } from '@cupel/system-tests'
import { drawnWithin, until } from '@cupel/testkit'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { openDesk } from './browser.js'

const desk = await openDesk()
afterAll(() => desk.close())

/** A starter label of every new installation. */
const LAZARUS = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
const GENESIS = '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'
/** Addresses of the sandbox: red at 76.5 points by a mixer, and orange at 42.5. */
const RED_MIXER = '0xc0be100000000000000000000000000000000008'
const ORANGE_MIXER = '0xc0be100000000000000000000000000000000003'
const REFERENCE = '<img src=x onerror=alert(1)> \u202Ecase-7'

interface Screened {
  readonly report_id: string
}
interface Listed {
  readonly items: readonly unknown[]
}

/** Keys of one account; the demo keys allow fewer calls a second than these tests make. */
let keys: { readonly writer: string; readonly reader: string; readonly sandbox: string }
let reports: readonly string[]
beforeAll(async () => {
  if ((desk as Partial<typeof desk>).ready === undefined) return
  keys = await issueKeys(desk.ready.home)
  const made: string[] = []
  for (const body of [
    { address: LAZARUS, customer_reference: REFERENCE },
    { address: LAZARUS.toLowerCase() },
    { address: GENESIS, customer_reference: 'case-70' },
  ])
    made.push((await desk.api<Screened>('POST', '/v1/screen', body, keys.writer)).report_id)
  reports = made
  await until(async () => expect(await reportCount(keys.writer)).toBe(3))
})

async function issueKeys(home: string): Promise<typeof keys> {
  const answer = async (...args: string[]): Promise<Readonly<Record<string, string>>> => {
    const { exitCode, stdout, stderr } = await cupel(home, [...args, '--json'])
    if (exitCode !== 0) throw new Error(stderr)
    return JSON.parse(stdout) as Record<string, string>
  }
  const { account_id: account = '' } = await answer('accounts', 'create', 'Compliance desk')
  const key = async (scope: string, environment: string): Promise<string> => {
    const order = [
      '--account',
      account,
      '--scope',
      scope,
      '--environment',
      environment,
      '--plan',
      'enterprise',
    ]
    return (await answer('keys', 'create', ...order, '--name', `${environment} ${scope}`))['key']!
  }
  const [writer, reader, sandbox] = await Promise.all([
    key('read-write', 'live'),
    key('read-only', 'live'),
    key('read-write', 'test'),
  ])
  return { writer, reader, sandbox }
}

const reportCount = async (key: string): Promise<number> =>
  (await desk.api<Listed>('GET', '/v1/reports?page_size=200', undefined, key)).items.length
/** Signs in with the read-write key of the desk, or with the given one. */
const signIn = (path: string, options: Parameters<typeof desk.signIn>[1] = {}): Promise<Page> =>
  desk.signIn(path, { key: keys.writer, ...options })
const heading = (page: Page) => page.getByRole('heading', { level: 1 }).innerText()
const rowsOf = (page: Page, name: string) =>
  page.getByRole('group', { name, exact: true }).locator('tbody tr')

describe('screening one address', () => {
  desk.test('goes from the first page to the report in one field and one button', async () => {
    const page = await signIn('/')
    await page.getByLabel('Wallet address').fill(`  ${LAZARUS} `)
    await page.getByRole('button', { name: 'Screen', exact: true }).click()
    await page.waitForURL('**/reports/*')
    expect(await heading(page)).toMatch(/^Red, 95 of 100: attributed to Lazarus Group/)
    await page.getByRole('link', { name: /What changed since/ }).click()
    await page.waitForURL('**/compare?*')
  })

  desk.test('names the chain while the address is typed, and what is wrong with it', async () => {
    const page = await signIn('/screen')
    const told = page.locator('#detected')
    await page.getByLabel('Wallet address').fill(GENESIS)
    await until(async () => expect(await told.innerText()).toContain('An address of Bitcoin (BTC).'))
    await page.getByLabel('Wallet address').fill(LAZARUS.slice(0, -1))
    await until(async () => expect(await told.innerText()).toContain('here are 39'))
    const colour = 'getComputedStyle(document.querySelector("#detected")).color'
    const red = await page.evaluate(colour)
    await page.getByLabel('Wallet address').fill('vitalik.eth')
    await until(async () => expect(await told.innerText()).toContain('is a name, not an address'))
    expect(await page.evaluate(colour)).not.toBe(red)
    await page.getByLabel('Wallet address').fill(LAZARUS)
    await until(async () => expect(await told.innerText()).toMatch(/Ethereum \(ETH\).*also fits/))
    await page.getByText('Chain and reference').click()
    await page.getByLabel('Chain', { exact: true }).selectOption('BTC')
    await until(async () => expect(await told.innerText()).toContain('The address is not of BTC'))
    await desk.screenshot(page, 'screen-refused')
    await desk.check(page)
  })

  desk.test('works without a script: a mistyped address stays in the field next to its fault', async () => {
    const page = await signIn('/screen', { javaScriptEnabled: false })
    const mistyped = LAZARUS.replace('dC57', 'Dc57')
    await page.getByLabel('Wallet address').fill(mistyped)
    await page.getByRole('button', { name: 'Screen', exact: true }).click()
    expect(await page.getByRole('alert').innerText()).toContain('EIP-55')
    expect(await page.getByLabel('Wallet address').inputValue()).toBe(mistyped)
    await page.getByLabel('Wallet address').fill(GENESIS)
    await page.getByRole('button', { name: 'Screen', exact: true }).click()
    await page.waitForURL('**/reports/*')
  })

  desk.test('never repeats a key that was pasted into the field', async () => {
    const page = await signIn('/screen')
    await page.getByLabel('Wallet address').fill(keys.writer)
    await page.getByRole('button', { name: 'Screen', exact: true }).click()
    expect(await page.getByRole('alert').innerText()).toContain('This is an API key')
    expect(await page.content()).not.toContain(keys.writer)
  })

  desk.test('is not offered to a key that only reads', async () => {
    const page = await signIn('/', { key: keys.reader })
    expect(await page.getByText('This key reads and does not screen').count()).toBe(1)
    expect(await page.getByRole('button', { name: 'Screen', exact: true }).count()).toBe(0)
    expect(await rowsOf(page, 'Latest red reports').count()).toBeGreaterThan(0)
    await desk.check(page)
  })
})

describe('the first steps', () => {
  desk.test('an example leads to its report, and the report to a watch that can be ended', async () => {
    // A home shows the steps only while its account has no reports.
    const { sandbox } = await issueKeys(desk.ready.home)
    const page = await signIn('/', { key: sandbox })
    await page.getByRole('button', { name: 'Mixer 0xc0be100000000000000000000000000000000003' }).click()
    await page.waitForURL('**/reports/*')
    expect(await heading(page)).toContain('Orange, 42.5')
    await page.getByRole('link', { name: 'Watch this address' }).click()
    expect(await page.getByLabel('Addresses, one on each line').inputValue()).toContain(ORANGE_MIXER)
    await page.getByLabel('Your reference').fill(REFERENCE)
    await page.getByRole('button', { name: 'Watch', exact: true }).click()
    await page.getByText('One address is watched, and screened now.').waitFor()
    expect(await rowsOf(page, 'Watches').count()).toBe(1)
    await page.getByRole('button', { name: `Stop watching ${ORANGE_MIXER}` }).click()
    await page.getByText('The address is no longer watched.').waitFor()
  })

  desk.test('a mistyped line is named, and nothing is watched', async () => {
    const page = await signIn('/watches')
    await page.getByLabel('Addresses, one on each line').fill(`${LAZARUS}\nnot an address`)
    await page.getByRole('button', { name: 'Watch', exact: true }).click()
    await page.getByText(/^Line 2: /).waitFor()
    expect(await page.getByLabel('Addresses, one on each line').inputValue()).toContain('not an address')
    const { items } = await desk.api<Listed>('GET', '/v1/watches', undefined, keys.writer)
    expect(items).toEqual([])
  })
})

describe('the history', () => {
  desk.test('finds the reports of an address in any of its forms, and compares two of them', async () => {
    const page = await signIn('/history')
    await page.getByLabel('Address or report id').fill(LAZARUS.toLowerCase())
    await page.getByLabel('Level').selectOption('red')
    await page.getByRole('button', { name: 'Search' }).click()
    await until(async () => expect(await rowsOf(page, 'Reports').count()).toBeGreaterThanOrEqual(2))
    await desk.screenshot(page, 'history-of-address')
    await desk.check(page)
    await page.getByRole('button', { name: 'Compare two reports' }).click()
    await page.waitForURL('**/compare?*')
    expect(await heading(page)).toBe('What changed between two reports')
    expect(await page.locator('.summary').innerText()).not.toBe('')
    await desk.screenshot(page, 'compare')
    await desk.check(page)
  })

  desk.test('finds a reference exactly, and shows hostile ones as text', async () => {
    const page = await signIn(`/history?${new URLSearchParams({ reference: REFERENCE }).toString()}`)
    expect(await rowsOf(page, 'Reports').count()).toBe(1)
    expect(await rowsOf(page, 'Reports').innerText()).toContain('<img src=x onerror=alert(1)> [U+202E]case-7')
    await page.goto('/history?reference=case-7')
    expect(await page.locator('.empty').innerText()).toContain('No report fits')
    await desk.check(page)
  })

  desk.test('opens a report by its id, and says what is wrong with anything else', async () => {
    const page = await signIn('/history')
    await page.getByLabel('Address or report id').fill(reports[0]!)
    await page.getByRole('button', { name: 'Search' }).click()
    await page.waitForURL(`**/reports/${reports[0]!}`)
    await page.goto('/history?q=vitalik.eth')
    expect(await page.getByRole('alert').innerText()).toContain('is a name, not an address')
    await page.goto('/history?from=2026-02-30')
    expect(await page.getByRole('alert').innerText()).toContain('There is no such time')
    await desk.check(page)
  })

  desk.test('goes from page to page to the end, and back', async () => {
    const addresses = Array.from(
      { length: 60 },
      (_, index) => `0x${(index + 4_096).toString(16).padStart(40, 'b')}`,
    )
    await desk.api('POST', '/v1/bulk', { addresses }, keys.writer)
    await until(async () => expect(await reportCount(keys.writer)).toBeGreaterThan(60))
    const page = await signIn('/history')
    expect(await rowsOf(page, 'Reports').count()).toBe(50)
    await page.getByRole('link', { name: 'Older' }).click()
    await page.getByText('This is the end of the list.').waitFor()
    expect(await rowsOf(page, 'Reports').count()).toBeGreaterThan(10)
    await page.getByRole('link', { name: 'Newest' }).click()
    await page.waitForURL((url) => !url.search.includes('page_token'))
    await desk.check(page)
  })
})

describe('a comparison', () => {
  desk.test('takes one report and finds the one before it', async () => {
    const page = await signIn(`/compare?report=${reports[1]!}`)
    expect(new URL(page.url()).searchParams.getAll('report')).toEqual([reports[0], reports[1]])
    expect(await page.getByText('items are the same').or(page.getByText('item is the same')).count()).toBe(1)
  })

  desk.test('refuses reports of two addresses, and ids that nobody has', async () => {
    const page = await signIn(`/compare?report=${reports[0]!}&report=${reports[2]!}`)
    expect(await page.getByRole('alert').innerText()).toContain('two different addresses')
    await page.goto(`/compare?report=${reports[0]!}&report=0000000000000000`)
    expect(await page.getByRole('alert').innerText()).toContain('There is no report 0000000000000000')
    await desk.check(page)
  })
})

desk.test(
  'lists show their state, extent and age; the first page says what stands in the way of green',
  async () => {
    const page = await signIn('/lists')
    expect(await page.getByRole('columnheader', { name: 'Age' }).count()).toBeGreaterThan(0)
    expect(await page.locator('tbody tr').count()).toBeGreaterThan(0)
    await desk.check(page)
    await page.goto('/')
    expect(await page.getByRole('link', { name: /See the lists|All lists/ }).count()).toBe(1)
    const other = await signIn('/lists', { key: keys.sandbox })
    expect(await other.locator('.empty').innerText()).toBe('The sandbox reads no lists.')
    await desk.check(other)
  },
)

describe('the policy', () => {
  desk.test('is shown with the meaning of every number', async () => {
    const page = await signIn('/policy')
    const red = page.getByRole('row', { name: /^levels\.red/ })
    expect(await red.innerText()).toMatch(/70\s+Lowest score of red/)
    await desk.check(page)
  })

  desk.test(
    'is tried with other numbers: levels change in a picture and in a table, and nothing else does',
    async () => {
      for (const address of [RED_MIXER, ORANGE_MIXER])
        await desk.api('POST', '/v1/screen', { address }, keys.sandbox)
      await until(async () => expect(await reportCount(keys.sandbox)).toBe(2))
      const page = await signIn('/policy', { key: keys.sandbox })
      await page.getByLabel('Levels: red', { exact: true }).fill('80,5')
      await page.getByRole('button', { name: 'Try these numbers' }).click()
      await page.waitForURL('**/policy/what-if')
      expect(await heading(page)).toBe('1 of 2 levels would change')
      expect(await page.locator('svg.level-flow path.flow-changed').count()).toBe(1)
      const flows = await rowsOf(page, 'Reports from level to level').allInnerTexts()
      expect(flows.map((row) => row.replaceAll(/[^\w ]+/g, ' ').trim())).toEqual([
        expect.stringMatching(/Red.*Orange.*1.*changed/),
        expect.stringMatching(/Orange.*Orange.*1.*same/),
      ])
      expect(await rowsOf(page, 'Reports whose level changes').innerText()).toContain('Levels: red')
      await desk.screenshot(page, 'what-if')
      await desk.check(page)
      await page.goto('/policy')
      expect(await page.getByRole('row', { name: /^levels\.red/ }).innerText()).toMatch(/70/)
    },
  )

  desk.test(
    'that could not be put in force is refused with the setting at fault, and keeps what was typed',
    async () => {
      const page = await signIn('/policy')
      await page.getByLabel('Weights: mixer').fill('0.1')
      await page.getByRole('button', { name: 'Try these numbers' }).click()
      expect(await page.getByRole('alert').innerText()).toMatch(/weights\.mixer: .*below orange/)
      expect(await page.getByLabel('Weights: mixer').inputValue()).toBe('0.1')
      await page.getByText('Try a whole policy document').click()
      await page.getByLabel('Policy as JSON').fill('{"levels": {"red": 1, "red": 2}}')
      await page.getByRole('button', { name: 'Try this document' }).click()
      expect(await page.getByRole('alert').innerText()).toMatch(/more than once/)
      expect(await page.getByLabel('Policy as JSON').inputValue()).toContain('"red": 2')
      await desk.check(page)
    },
  )
})

desk.test('the usage counts calls of each key against its plan', async () => {
  const page = await signIn('/usage')
  await until(async () => {
    await page.reload()
    const row = rowsOf(page, 'Keys').filter({ hasText: keys.writer.slice(9, 17) })
    expect(await row.innerText()).toMatch(/enterprise: 5,000 calls a second, 10,000 at once, fair use/)
    expect(Number(await row.locator('td').nth(5).innerText())).toBeGreaterThanOrEqual(3)
  })
  await desk.check(page)
})

describe('the audit log', () => {
  desk.test('tells who read a report, and leads to it', async () => {
    const reader = await signIn(`/reports/${reports[2]!}`, { key: keys.reader })
    expect(await heading(reader)).not.toBe('')
    const page = await signIn('/audit')
    await page.getByLabel('About: report or job id').fill(reports[2]!)
    await until(async () => {
      await page.getByRole('button', { name: 'Search' }).click()
      expect(await rowsOf(page, 'Calls').allInnerTexts()).toEqual(
        expect.arrayContaining([
          expect.stringContaining('/v1/screen'),
          expect.stringContaining('GET /v1/reports'),
        ]),
      )
    })
    await rowsOf(page, 'Calls').getByRole('link', { name: reports[2]! }).first().click()
    await page.waitForURL(`**/reports/${reports[2]!}`)
  })

  desk.test('is narrowed to refused calls', async () => {
    await fetch(`${desk.ready.base_url}/v1/screen`, {
      method: 'POST',
      headers: { authorization: `Bearer ${keys.reader}`, 'content-type': 'application/json' },
      body: JSON.stringify({ address: LAZARUS }),
    })
    const page = await signIn('/audit?outcome=problem&route=/v1/screen')
    await until(async () => {
      await page.reload()
      expect(await rowsOf(page, 'Calls').allInnerTexts()).toEqual([
        expect.stringContaining('403 scope_required'),
      ])
    })
    await desk.screenshot(page, 'audit-refused')
    await desk.check(page)
  })
})

const PAGES = {
  home: '/',
  screen: '/screen',
  history: '/history',
  compare: '/compare',
  lists: '/lists',
  policy: '/policy',
  usage: '/usage',
  audit: '/audit',
} as const

const LOOKS = [
  ['light', { colorScheme: 'light' }],
  ['dark', { colorScheme: 'dark' }],
  ['on a phone', { colorScheme: 'light', width: 390 }],
  ['without a script', { javaScriptEnabled: false }],
] as const
const looks = drawnWithin({ name: 'looks of every page', minimum: 2 }, LOOKS)

describe.each(looks)('every page %s', (name, look) => {
  desk.test('is accessible and fits its width', async () => {
    const page = await signIn('/', look)
    for (const [title, path] of Object.entries(PAGES)) {
      await page.goto(path)
      await desk.screenshot(page, `${title}-${name.replaceAll(' ', '-')}`)
      if (!('javaScriptEnabled' in look)) {
        await desk.check(page)
        const overflow = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        )
        expect(overflow, path).toBe(0)
      }
      expect(await heading(page), path).not.toBe('')
    }
  })
})
