// `npm run screenshots`: makes docs/pictures/*.png from a running installation of its own with sandbox data. It needs Chromium.
import { existsSync, mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { withInstallation } from './own-installation.mjs'
import { orExplain, root, setUp } from './setup.mjs'

const CHROMIUM =
  process.env.CUPEL_TEST_CHROMIUM ??
  ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((program) => existsSync(program)) ??
  'chromium'
const PICTURES = join(root, 'docs', 'pictures')
/** Magic addresses of docs/sandbox.md, in the order in which the history shows them from the bottom. */
const ADDRESSES = ['01', '02', '03', '08', '06', '04'].map(
  (last) => `0xc0be1000000000000000000000000000000000${last}`,
)
const DESK = { viewport: { width: 1180, height: 800 } }
const PHONE = { viewport: { width: 390, height: 760 } }

/** Each picture has a file name, a page and a view. `{red}` stands for the id of a red report. */
const pictures = [
  { name: 'report', path: '/reports/{red}', look: DESK },
  { name: 'report-dark-phone', path: '/reports/{red}', look: { ...PHONE, colorScheme: 'dark' } },
  { name: 'home', path: '/', look: DESK },
]

await orExplain(() => setUp())
await withInstallation(async (installation) => {
  const { chromium } = createRequire(join(root, 'services/web/package.json'))('playwright-core')
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
  try {
    await takeAll(browser, installation)
  } finally {
    await browser.close()
  }
})

async function takeAll(browser, { ready, call, issueKey }) {
  const key = await issueKey('--plan', 'pro', '--environment', 'test')
  let red = ''
  for (const address of ADDRESSES)
    red = (await call(key, 'POST', '/v1/screen', { address, customer_reference: 'case 2026-114' })).report_id
  mkdirSync(PICTURES, { recursive: true })
  for (const { name, path, look } of pictures) {
    const page = await (await browser.newContext({ baseURL: ready.console_url, ...look })).newPage()
    await page.goto('/sign-in')
    await page.getByLabel('API key').fill(key)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL((url) => url.pathname === '/')
    await page.goto(path.replace('{red}', red))
    await page.screenshot({ path: join(PICTURES, `${name}.png`) })
    console.log(`docs/pictures/${name}.png`)
  }
}
