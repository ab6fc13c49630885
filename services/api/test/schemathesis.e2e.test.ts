/**
 * The description holds against whoever takes it at its word: Schemathesis makes calls from it, valid and not, and checks
 * every answer. CUPEL_TEST_SCHEMATHESIS_EXAMPLES sets how many it makes for each operation, CUPEL_TEST_SEED the seed.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startInstallation, type Installation } from './installation.js'

const VERSION = '4.32.5'
const EXAMPLES = process.env['CUPEL_TEST_SCHEMATHESIS_EXAMPLES'] ?? '30'
const SEED = process.env['CUPEL_TEST_SEED'] ?? String(Math.floor(Math.random() * 2 ** 31))
const SETUP_TIMEOUT_MS = 300_000
const RUN_TIMEOUT_MS = 1_800_000

const cache = fileURLToPath(new URL(`../../../.cache/schemathesis-${VERSION}`, import.meta.url))
const executable = join(cache, 'bin', 'schemathesis')
const setupFault = await setUpSchemathesis()
// eslint-disable-next-line no-console -- a skipped check must be seen
if (setupFault !== null) console.warn(`SKIPPED: Schemathesis ${VERSION} cannot be set up here: ${setupFault}`)

let installation: Installation
let key: string
beforeAll(async () => {
  installation = await startInstallation()
  key = (await installation.key({ plan: 'enterprise' })).key
}, SETUP_TIMEOUT_MS)
afterAll(() => installation.stop())

test.skipIf(setupFault !== null).each([1, 2])(
  'every answer of %i instance(s) is one the description names',
  async (instances) => {
    const urls = []
    for (let index = 0; index < instances; index += 1)
      urls.push((await installation.api({ config: { CUPEL_INSTANCE: instances * 2 + index } })).url)
    const front = await startFront(urls)
    const folder = mkdtempSync(join(tmpdir(), 'cupel-schemathesis-'))
    try {
      const config = fileURLToPath(new URL('schemathesis.toml', import.meta.url))
      const options = [
        '--checks',
        'all',
        '--max-examples',
        EXAMPLES,
        '--seed',
        SEED,
        '--header',
        `Authorization: Bearer ${key}`,
      ]
      const result = await run(
        executable,
        ['--config-file', config, 'run', `${front.url}/openapi.json`, ...options],
        folder,
      )
      expect(result.code, `seed ${SEED}\n${result.output}`).toBe(0)
      expect(result.output).toMatch(/No issues found/)
    } finally {
      rmSync(folder, { recursive: true, force: true })
      await front.close()
    }
  },
  RUN_TIMEOUT_MS,
)

/** Sends each new connection to the next instance, as a load balancer does. */
async function startFront(urls: readonly string[]): Promise<{ url: string; close(): Promise<void> }> {
  let turn = 0
  const server = createServer((client) => {
    const { hostname, port } = new URL(urls[turn++ % urls.length]!)
    const upstream = connect(Number(port), hostname)
    const end = (): void => {
      client.destroy()
      upstream.destroy()
    }
    client.on('error', end).on('close', end).pipe(upstream).on('error', end).on('close', end).pipe(client)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** Installs it once into .cache; returns why that failed, or null. */
async function setUpSchemathesis(): Promise<string | null> {
  if (existsSync(executable)) return null
  const created = await run('python3', ['-m', 'venv', cache], '.')
  if (created.code !== 0) return created.output
  const pip = [`--disable-pip-version-check`, '--quiet', 'install', `schemathesis==${VERSION}`]
  const installed = await run(join(cache, 'bin', 'pip'), pip, '.')
  if (installed.code === 0) return null
  rmSync(cache, { recursive: true, force: true })
  return installed.output
}

function run(
  command: string,
  args: readonly string[],
  cwd: string,
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env: { ...process.env, NO_COLOR: '1' } })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.on('error', (error) => resolve({ code: null, output: error.message }))
    child.on('close', (code) => resolve({ code, output }))
  })
}
