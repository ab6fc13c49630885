// Measures the report page with many readers at once: npm run bench:web -- [--readers N] [--pages N]
// Prints a table and writes JSON to bench-results/. Every reader signs in as a browser does and reads one page after another. A wrong
// status fails the run; no figure fails it.
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { end, report } from './bench-report.mjs'
import { matched } from './matched.mjs'
import { withInstallation } from './own-installation.mjs'
import { orExplain, root, setUp } from './setup.mjs'

const USAGE = `npm run bench:web -- [options]
  --readers N   readers at once (default: 50)
  --pages N     pages that each of them reads (default: 40)`
const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' }

const { values } = parseArgs({
  options: {
    readers: { type: 'string', default: '50' },
    pages: { type: 'string', default: '40' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) end(0, USAGE)
const [readers, pages] = [Number(values.readers), Number(values.pages)]
if (!(readers >= 1 && readers <= 1_000 && pages >= 1)) end(2, USAGE)

await orExplain(() => setUp())
await withInstallation(async ({ ready, pid, call, issueKey }) => {
  const key = await issueKey('--plan', 'enterprise')
  const address = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
  const { report_id: id } = await call(key, 'POST', '/v1/screen', { address })
  const page = `${ready.console_url}/reports/${id}`
  const signedIn = await Promise.all(Array.from({ length: readers }, () => signIn(ready.console_url, key)))
  await Promise.all(signedIn.map((cookie) => read(page, cookie, 2)))
  const started = performance.now()
  const times = (await Promise.all(signedIn.map((cookie) => read(page, cookie, pages)))).flat()
  const seconds = (performance.now() - started) / 1_000
  times.sort((one, other) => one - other)
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))]
  const figures = {
    ...{ readers, pages: times.length, pagesPerSecond: times.length / seconds },
    ...{ p50Ms: at(0.5), p95Ms: at(0.95), maxMs: at(1), residentMib: residentMib(pid) },
  }
  const rows = Object.entries(figures).map(([name, value]) => `${name.padEnd(16)} ${Math.round(value)}`)
  report(root, 'web', rows.join('\n'), figures)
})

/** Resolves to the cookie of a session. */
async function signIn(url, key) {
  const form = await fetch(`${url}/sign-in`)
  const [visit] = form.headers.getSetCookie()[0].split(';', 1)
  const [, csrf] = matched(/name="csrf" value="([^"]+)"/, await form.text())
  const answer = await fetch(`${url}/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: visit, ...SAME_ORIGIN },
    body: new URLSearchParams({ csrf, key, next: '/' }),
  })
  if (answer.status !== 303) throw new Error(`The sign-in was answered ${answer.status}`)
  return answer.headers.getSetCookie()[0].split(';', 1)[0]
}

/** Reads a page several times in sequence; resolves to the milliseconds of each read. */
async function read(page, cookie, count) {
  const times = []
  for (let round = 0; round < count; round += 1) {
    const started = performance.now()
    const answer = await fetch(page, { headers: { cookie }, redirect: 'manual' })
    const text = await answer.text()
    if (answer.status !== 200 || !text.includes('95 of 100'))
      throw new Error(`A page was answered ${answer.status}`)
    times.push(performance.now() - started)
  }
  return times
}

function residentMib(pid) {
  try {
    return Number(matched(/VmRSS:\s+(\d+)/, readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1_024
  } catch {
    // Only Linux has this file.
    return Number.NaN
  }
}
