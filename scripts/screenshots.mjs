// `npm run screenshots`: makes docs/pictures/*.png from a running installation of its own with the demo. It needs Chromium.
import { mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { CHROMIUM } from './chromium.mjs'
import { withInstallation } from './own-installation.mjs'
import { orExplain, root, setUp } from './setup.mjs'

const PICTURES = join(root, 'docs', 'pictures')
/** A view that is as high as what the picture is about. */
const DESK = { viewport: { width: 1180, height: 1000 } }
const WAIT_MS = 120_000
const POLL_MS = 500

/** Each picture has a file name and a page. `{report}` stands for the id of a report with a path of money. */
const pictures = [
  { name: 'report', path: '/reports/{report}' },
  { name: 'inbox', path: '/inbox' },
  { name: 'lists', path: '/lists' },
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

async function takeAll(browser, { ready, call }) {
  const key = ready.keys.operator
  const report = await prepare((method, path, body) => call(key, method, path, body))
  mkdirSync(PICTURES, { recursive: true })
  const page = await (await browser.newContext({ baseURL: ready.console_url, ...DESK })).newPage()
  await page.goto('/sign-in')
  await page.getByLabel('API key').fill(key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL((url) => url.pathname === '/')
  for (const { name, path } of pictures) {
    await page.goto(path.replace('{report}', report))
    await page.screenshot({ path: join(PICTURES, `${name}.png`) })
    console.log(`docs/pictures/${name}.png`)
  }
}

/** Watches the addresses of the demo before it is on, so that the inbox tells what it changed. Resolves to the id of a report. */
async function prepare(call) {
  const { addresses } = await call('GET', '/v1/demo')
  const watches = addresses.map(({ address, title }) => ({
    address,
    chain: 'ETH',
    reference: title.slice('Demo: '.length),
  }))
  await call('POST', '/v1/watches', { watches })
  await until(async () =>
    (await call('GET', '/v1/watches?page_size=200')).items.every(({ last_report: last }) => last !== null),
  )
  await call('POST', '/v1/demo', { is_on: true })
  await until(async () => (await call('GET', '/v1/demo')).status === 'on')
  const { report_id: report } = await call('POST', '/v1/screen', {
    address: addresses[0].address,
    chain: 'ETH',
  })
  await until(async () => (await call('GET', '/v1/inbox')).items.length >= 3)
  return report
}

async function until(isTrue) {
  const endMs = performance.now() + WAIT_MS
  while (!(await isTrue())) {
    if (performance.now() > endMs) throw new Error(`It did not become true: ${isTrue}`)
    await setTimeout(POLL_MS)
  }
}
