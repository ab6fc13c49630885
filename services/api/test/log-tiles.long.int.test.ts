/** The published Go modules read the transparency log over HTTP, and verify all of it. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readSigningKeys, verifierKey, type PublicKey } from '@cupel/signing'
import { noteSkip, until } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'
import { appendAccounts } from './log-work.js'

const SOURCE = fileURLToPath(new URL('log-client', import.meta.url))
const BUILD_TIMEOUT_MS = 600_000

const folder = mkdtempSync(join(tmpdir(), 'cupel-log-client-'))
const client = join(folder, 'log-client')
const built = await run('go', ['build', '-mod=readonly', '-o', client, '.'])
if (built.code !== 0) noteSkip(`the Go modules cannot be built: ${built.stderr.slice(-300)}`)

let installation: Installation
let url: string
let key: string
let signedWith: PublicKey
let earlier: string
beforeAll(async () => {
  if (built.code !== 0) return
  installation = await startInstallation()
  ;({ url } = await installation.api())
  ;({ key } = await installation.key({ plan: 'enterprise' }))
  signedWith = readSigningKeys(installation.prove()).signer.key
  earlier = await checkpointOver(1)
  await appendAccounts(installation, 700)
  await checkpointOver(700)
})
afterAll(async () => {
  if (built.code === 0) await installation.stop()
  rmSync(folder, { recursive: true })
})

/** Waits for a checkpoint of at least `size` leaves. */
async function checkpointOver(size: number): Promise<string> {
  return await until(async () => {
    const { text } = await call(url, 'GET', '/v1/log/checkpoint', { key })
    expect(Number(text.split('\n')[1])).toBeGreaterThanOrEqual(size)
    return text
  })
}

interface Ended {
  readonly code: unknown
  readonly stdout: string
  readonly stderr: string
}

function run(command: string, args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { cwd: SOURCE, env: { ...process.env, ...env }, timeout: BUILD_TIMEOUT_MS }
    execFile(command, args, options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : (error.code ?? error.signal), stdout, stderr }),
    )
  })
}

/** Runs the client with this earlier checkpoint. */
function read(earlierCheckpoint: string, verifier = verifierKey(signedWith)): Promise<Ended> {
  const file = join(folder, 'earlier')
  writeFileSync(file, earlierCheckpoint)
  const [origin = ''] = earlier.split('\n')
  return run(client, [`${url}/v1/log`, origin, verifier, file], { CUPEL_API_KEY: key })
}

test.skipIf(built.code !== 0)(
  'every leaf is in the signed tree, and the tree extends an earlier one, as x/mod and transparency-dev see it',
  async () => {
    const { code, stdout, stderr } = await read(earlier)
    expect(code, stderr).toBe(0)
    const checked = JSON.parse(stdout) as { size: number; entries: number; earlier: number; fetched: number }
    expect(checked.size).toBeGreaterThanOrEqual(700)
    expect(checked).toMatchObject({ entries: checked.size, earlier: Number(earlier.split('\n')[1]) })
    // The checkpoint, three bundles, and tiles of two levels.
    expect(checked.fetched).toBeGreaterThanOrEqual(1 + 3 + 4)
  },
)

test.skipIf(built.code !== 0)('the same client refuses another history, and another key', async () => {
  const [origin, size, root, ...rest] = earlier.split('\n')
  const other = [origin, size, Buffer.from(root!, 'base64').reverse().toString('base64'), ...rest].join('\n')
  expect(await read(other)).toMatchObject({ code: 1 })
  const foreign = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'
  expect(await read(earlier, foreign)).toMatchObject({ code: 1 })
})
