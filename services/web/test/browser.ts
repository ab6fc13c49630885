/**
 * The console as a person sees it: an installation as a user starts it, and Debian's Chromium. One of each serves all tests of a
 * file:
 *
 *     const desk = await openDesk()
 *     afterAll(() => desk.close())
 *     desk.test('…', async () => { const page = await desk.signIn('/'); … })
 */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AxeBuilder } from '@axe-core/playwright'
import { createHome, removeHome, startInstallation, type ReadyLine } from '@cupel/system-tests'
import { noteSkip } from '@cupel/testkit'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { CHROMIUM } from './chromium.js'

/** If set to true, tests take screenshots for people. No test reads them. */
const WITH_PICTURES = process.env['CUPEL_TEST_SCREENSHOTS'] === 'true'
const PICTURES = fileURLToPath(new URL('../../../.cache/screenshots/', import.meta.url))
/** Only a hang takes longer, even on busy processors. */
const STEP_TIMEOUT_MS = 120_000

export interface Look {
  readonly colorScheme?: 'light' | 'dark'
  /** Pixels; a phone is 390 wide. */
  readonly width?: number
  readonly javaScriptEnabled?: boolean
  /** Origin that pages of this visitor may call besides the console. */
  readonly mayVisit?: string
}

export interface Desk {
  readonly ready: ReadyLine
  /** Address of the console, without a slash at the end. */
  readonly url: string
  /** Like vitest's test; without Chromium it skips the test and says so. */
  readonly test: typeof test
  /** Opens a page of a new visitor without cookies. It stays open until the test ends. */
  newPage(look?: Look): Promise<Page>
  /** Opens a page at `path` for a new visitor who signed in with the read-write key, or with the given one. */
  signIn(path?: string, look?: Look & { readonly key?: string }): Promise<Page>
  /** Calls the API with the read-write key, or with the given one. Throws unless the call succeeds. */
  api<T>(method: string, path: string, body?: unknown, key?: string): Promise<T>
  /** Fails on a violation of axe-core, on an error in the browser's console, and on a request to any other host. */
  check(page: Page): Promise<void>
  /** With CUPEL_TEST_SCREENSHOTS=true, writes a PNG of the whole page under .cache/screenshots, for people. */
  screenshot(page: Page, name: string): Promise<void>
  close(): Promise<void>
}

/**
 * Starts both. Before that, `prepare` works in the folder of the installation and adds to its environment. Without Chromium, it starts
 * nothing and skips every test; in CI that is an error.
 */
export async function openDesk(
  environment: Readonly<Record<string, string>> = {},
  prepare?: (home: string) => Promise<Readonly<Record<string, string>>>,
): Promise<Desk> {
  const isInstalled = existsSync(CHROMIUM)
  if (!isInstalled && process.env['CI'] === 'true') throw new Error(`There is no Chromium at ${CHROMIUM}`)
  if (!isInstalled) {
    noteSkip(`the console is not tried in a browser: no Chromium at ${CHROMIUM}`)
    return { test: test.skipIf(true) as typeof test, close: () => Promise.resolve() } as Desk
  }
  const home = createHome()
  const prepared = (await prepare?.(home)) ?? {}
  const installation = await startInstallation({ home, environment: { ...environment, ...prepared } })
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox'],
    timeout: STEP_TIMEOUT_MS,
  })
  const url = installation.ready.console_url
  if (url === null) throw new Error('The installation serves no console')
  return {
    ...deskOf(browser, installation.ready, url),
    async close() {
      await browser.close()
      await installation.stop()
      removeHome(home)
    },
  }
}

function deskOf(browser: Browser, ready: ReadyLine, url: string): Omit<Desk, 'close'> {
  const faults = new WeakMap<Page, string[]>()
  const newPage = async ({
    colorScheme = 'light',
    width = 1_280,
    javaScriptEnabled = true,
    mayVisit,
  }: Look = {}) => {
    const context = await browser.newContext({
      ...{ baseURL: url, colorScheme, javaScriptEnabled },
      viewport: { width, height: 900 },
    })
    context.setDefaultTimeout(STEP_TIMEOUT_MS)
    // Open pages continue to poll for news, and would slow the next tests.
    onTestFinished(() => context.close())
    const page = await context.newPage()
    faults.set(page, faultsOf(page, context, url, mayVisit))
    // Foreign pages may name hosts that this machine cannot reach.
    if (mayVisit !== undefined)
      await context.route(
        (asked) => ![url, mayVisit].includes(asked.origin),
        (route) => route.abort(),
      )
    return page
  }
  return {
    ...{ ready, url, test, newPage },
    async signIn(path = '/', { key = ready.keys.read_write, ...look } = {}) {
      const page = await newPage(look)
      await page.goto(`/sign-in?next=${encodeURIComponent(path)}`)
      await page.getByLabel('API key').fill(key)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.waitForURL((now) => now.pathname !== '/sign-in')
      return page
    },
    api: (method, path, body, key = ready.keys.read_write) =>
      callApi(ready.base_url, { method, path, body, key }),
    async check(page) {
      const { violations } = await new AxeBuilder({ page }).analyze()
      expect(violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)])).toEqual([])
      expect(faults.get(page)).toEqual([])
    },
    async screenshot(page, name) {
      if (!WITH_PICTURES) return
      mkdirSync(PICTURES, { recursive: true })
      await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true })
    },
  }
}

/** Collects errors in the browser's console as they occur. It ignores those of pages of `mayVisit`. */
function faultsOf(page: Page, context: BrowserContext, url: string, mayVisit: string | undefined): string[] {
  const seen: string[] = []
  const isElsewhere = (): boolean => mayVisit !== undefined && page.url().startsWith(`${mayVisit}/`)
  page.on('pageerror', (error) => {
    if (!isElsewhere()) seen.push(error.message)
  })
  page.on('console', (message) => {
    // Chromium reports the status of pages that show a problem by design.
    const isByDesign = /the server responded with a status of/.test(message.text())
    if (message.type() === 'error' && !isByDesign && !isElsewhere()) seen.push(message.text())
  })
  context.on('request', (request) => {
    const isOwn = [url, mayVisit].some(
      (origin) => origin !== undefined && request.url().startsWith(`${origin}/`),
    )
    if (!isOwn && !isElsewhere() && !request.url().startsWith('data:')) seen.push(request.url())
  })
  return seen
}

async function callApi<T>(
  base: string,
  { method, path, body, key }: { method: string; path: string; body: unknown; key: string },
): Promise<T> {
  const response = await fetch(base + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return (text === '' ? null : JSON.parse(text)) as T
}
