/** The buttons that copy links and secrets, in a browser. */
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { chromium, type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CHROMIUM } from './chromium.js'

const ORIGIN = 'http://localhost'
let browser: Browser
let script: string
beforeAll(async () => {
  browser = await chromium.launch({ executablePath: CHROMIUM })
  const source = fileURLToPath(new URL('../../../packages/console/src/client/copy.ts', import.meta.url))
  const contents = `import { offerCopies } from ${JSON.stringify(source)}\nofferCopies()`
  const stdin = { contents, resolveDir: '/' }
  const { outputFiles } = await build({ stdin, bundle: true, write: false, format: 'iife' })
  script = outputFiles[0]!.text
})
afterAll(() => browser.close())

async function open(mayCopy: boolean): Promise<Page> {
  const context = await browser.newContext()
  await context.grantPermissions(mayCopy ? ['clipboard-read', 'clipboard-write'] : [], { origin: ORIGIN })
  const page = await context.newPage()
  const body =
    '<input id="link" data-copy readonly value="https://x/a?b=1&amp;c"><p><code data-copy>whsec_S</code></p>'
  await page.route(`${ORIGIN}/`, (route) => route.fulfill({ contentType: 'text/html', body }))
  await page.goto(`${ORIGIN}/`)
  if (!mayCopy)
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error('forbidden'))
    })
  await page.addScriptTag({ content: script })
  return page
}

test('each copies exactly its text, and says so', async () => {
  const page = await open(true)
  const texts: string[] = []
  for (const button of await page.getByRole('button', { name: 'Copy' }).all()) {
    await button.click()
    await page.getByRole('button', { name: 'Copied' }).first().waitFor()
    texts.push(await page.evaluate(() => navigator.clipboard.readText()))
    await page.getByRole('button', { name: 'Copied' }).first().waitFor({ state: 'detached' })
  }
  expect(texts).toEqual(['https://x/a?b=1&c', 'whsec_S'])
})

test('where the browser forbids it, the text is selected and the button says what to press', async () => {
  const page = await open(false)
  await page.getByRole('button', { name: 'Copy' }).last().click()
  await page.getByRole('button', { name: 'Selected: press Ctrl+C' }).waitFor()
  expect(await page.evaluate(() => getSelection()?.toString())).toBe('whsec_S')
})
