// `npm run screenshots`: makes docs/pictures/*.png from a running installation of its own with sandbox data. It needs Chromium.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './setup.mjs'

const CHROMIUM = process.env.CUPEL_TEST_CHROMIUM ?? '/usr/bin/chromium'
const PICTURES = join(root, 'docs', 'pictures')
/** Magic addresses of docs/sandbox.md, in the order in which the history shows them from the bottom. */
const ADDRESSES = ['01', '02', '03', '08', '06', '04'].map(
  (last) => `0xc0be1000000000000000000000000000000000${last}`,
)
const DESK = { viewport: { width: 1180, height: 800 } }
const PHONE = { viewport: { width: 390, height: 760 } }

/** A picture: its file, the page, and how it is looked at. `{red}` stands for the id of a red report. */
const pictures = [
  { name: 'report', path: '/reports/{red}', look: DESK },
  { name: 'report-dark-phone', path: '/reports/{red}', look: { ...PHONE, colorScheme: 'dark' } },
  { name: 'home', path: '/', look: DESK },
]

const home = mkdtempSync(join(tmpdir(), 'cupel-pictures-'))
const environment = { ...process.env, CUPEL_HOME: home, CUPEL_PORT: '0' }
const installation = spawn(process.execPath, [join(root, 'scripts/start.mjs'), '--json'], {
  env: environment,
  stdio: ['ignore', 'pipe', 'inherit'],
})
try {
  const ready = JSON.parse(await firstLine(installation.stdout))
  const { chromium } = createRequire(join(root, 'services/web/package.json'))('playwright-core')
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
  try {
    await takeAll(browser, ready)
  } finally {
    await browser.close()
  }
} finally {
  installation.kill('SIGTERM')
  await new Promise((resolve) => installation.once('exit', resolve))
  rmSync(home, { recursive: true, force: true })
}

async function takeAll(browser, ready) {
  const account = await call(ready, ready.keys.read_write, 'GET', '/v1/sessions/current')
  const { key } = await cupel(
    'keys',
    'create',
    '--account',
    account.account_id,
    '--scope',
    'read-write',
    '--plan',
    'pro',
    '--environment',
    'test',
    '--json',
  )
  let red = ''
  for (const address of ADDRESSES)
    red = (await call(ready, key, 'POST', '/v1/screen', { address, customer_reference: 'case 2026-114' }))
      .report_id
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

async function call(ready, key, method, path, body) {
  const response = await fetch(ready.base_url + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  return await response.json()
}

async function cupel(...args) {
  const child = spawn(process.execPath, [join(root, 'scripts/cupel.mjs'), ...args], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return JSON.parse(await firstLine(child.stdout))
}

function firstLine(stream) {
  return new Promise((resolve, reject) => {
    let text = ''
    stream.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
      if (text.includes('\n')) resolve(text.split('\n', 1)[0])
    })
    stream.once('end', () => reject(new Error(`Ended without a line: ${text}`)))
  })
}
