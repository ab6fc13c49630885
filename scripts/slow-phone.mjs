// `npm run slow-phone`: how long a report of the demo takes on a slow phone until it can be used: Chromium with the width, the network and the
// processor of one, and nothing in its cache. It starts an installation of its own and needs Chromium. A slow figure fails no run.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { loadavg } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { CHROMIUM } from './chromium.mjs'
import { withInstallation } from './own-installation.mjs'
import { orExplain, root, setUp } from './setup.mjs'

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }
/** Of Lighthouse for phones: 150 ms to the server and back, 1.6 Mbit/s down and 0.75 up in bytes a second, a fourth of this processor’s speed. */
const NETWORK = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 }
const SLOWDOWN = 4
/** A key may make ten calls a second. */
const POLL_MS = 500
const VISITS = 9
/** Resolves to the time from which the page shows its content, its script has run, and no long task keeps it from answering. */
const INTERACTIVE = `new Promise((resolve) => {
  const ends = []
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) ends.push(startTime + duration)
  }).observe({ type: 'longtask', buffered: true })
  setTimeout(() => {
    const [{ domContentLoadedEventEnd }] = performance.getEntriesByType('navigation')
    const [{ startTime }] = performance.getEntriesByName('first-contentful-paint')
    resolve(Math.max(startTime, domContentLoadedEventEnd, ...ends))
  }, 2000)
})`

await orExplain(() => setUp())
await withInstallation(async ({ ready, call }) => {
  const key = ready.keys.operator
  const { addresses } = await call(key, 'GET', '/v1/demo')
  const screened = { address: addresses[0].address, chain: 'ETH' }
  await call(key, 'POST', '/v1/demo', { is_on: true })
  while ((await call(key, 'GET', '/v1/demo')).status !== 'on') await setTimeout(POLL_MS)
  const { report_id: report } = await call(key, 'POST', '/v1/screen', screened)
  const { chromium } = createRequire(join(root, 'services/web/package.json'))('playwright-core')
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
  try {
    const cookies = await signIn(browser, ready.console_url, key)
    const times = []
    for (let visit = 0; visit < VISITS; visit += 1)
      times.push(await visitOnce(browser, cookies, `${ready.console_url}/reports/${report}`))
    times.sort((one, other) => one - other)
    const [least, median, most] = [0, (VISITS - 1) / 2, VISITS - 1].map((at) => Math.round(times[at]))
    console.log(
      `${VISITS} visits of a report can be used after ${median} ms in the median (${least} to ${most} ms); load average ${loadavg()[0].toFixed(1)}`,
    )
  } finally {
    await browser.close()
  }
})

async function signIn(browser, consoleUrl, key) {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${consoleUrl}/sign-in`)
  await page.getByLabel('API key').fill(key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL((url) => url.pathname === '/')
  const cookies = await context.cookies()
  await context.close()
  return cookies
}

async function visitOnce(browser, cookies, url) {
  const context = await browser.newContext(PHONE)
  await context.addCookies(cookies)
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await devtools.send('Network.enable')
  await devtools.send('Network.emulateNetworkConditions', NETWORK)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN })
  await page.goto(url, { waitUntil: 'load' })
  const time = Number(await page.evaluate(INTERACTIVE))
  await context.close()
  return time
}
