/** The published Go modules verify the transparency log over HTTP, and a proof, with nothing but the trust policy of the log. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readSigningKeys } from '@cupel/signing'
import { policyText, transparencyFolder } from '@cupel/evidence/transparency'
import { noteSkip, until } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ADDRESS, call, screen } from './http-client.js'
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
let log: string
let earlier: string
const policy = join(folder, 'tlog-policy')
beforeAll(async () => {
  if (built.code !== 0) return
  installation = await startInstallation()
  ;({ url } = await installation.api())
  ;({ key } = await installation.key({ plan: 'enterprise' }))
  const { publicKeys } = readSigningKeys(installation.prove())
  log = await installation.deps.log.identity()
  writeFileSync(policy, policyText({ publicKeys, log }))
  earlier = await checkpointOver(1)
  await appendAccounts(installation, 700)
  await checkpointOver(700)
  // The files follow the database, and a smaller tree lacks the tiles that are damaged.
  await until(() => expect(leavesOf(publishedFile('/checkpoint').toString())).toBeGreaterThanOrEqual(700))
})
afterAll(async () => {
  if (built.code === 0) await installation.stop()
  rmSync(folder, { recursive: true })
})

const leavesOf = (checkpoint: string): number => Number(checkpoint.split('\n')[1])

const publishedFile = (path: string): Buffer =>
  readFileSync(join(transparencyFolder(installation.folder, log), path))

/** Waits for a checkpoint of at least `size` leaves. */
async function checkpointOver(size: number): Promise<string> {
  return await until(async () => {
    const { text } = await call(url, 'GET', '/v1/log/checkpoint', { key })
    expect(leavesOf(text)).toBeGreaterThanOrEqual(size)
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
function read(earlierCheckpoint: string, policyFile = policy): Promise<Ended> {
  const file = join(folder, 'earlier')
  writeFileSync(file, earlierCheckpoint)
  return run(client, ['tiles', `${url}/v1/log`, policyFile, file], { CUPEL_API_KEY: key })
}

interface Hosted {
  readonly prefix: string
  /** The paths of the files that were served with a changed byte. */
  readonly damaged: string[]
}

/** Serves the published files as any web server does, and damages what `damage` names. */
async function hosted(damage?: string): Promise<Hosted> {
  const damaged: string[] = []
  const server = createServer(({ url: path = '/' }, response) => {
    try {
      const bytes = publishedFile(path)
      if (damage !== undefined && path.includes(damage)) {
        bytes[40]! ^= 1
        damaged.push(path)
      }
      response.end(bytes)
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  installation.onClose(() => new Promise((resolve) => server.close(resolve)))
  return { prefix: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, damaged }
}

test.skipIf(built.code !== 0)(
  'every leaf is in the signed tree, and the tree extends an earlier one, as x/mod and transparency-dev see it',
  async () => {
    const { code, stdout, stderr } = await read(earlier)
    expect(code, stderr).toBe(0)
    const checked = JSON.parse(stdout) as { size: number; entries: number; earlier: number; fetched: number }
    expect(checked.size).toBeGreaterThanOrEqual(700)
    expect(checked).toMatchObject({ entries: checked.size, earlier: leavesOf(earlier) })
    // Tiles of two levels.
    expect(checked.fetched).toBeGreaterThanOrEqual(4)
  },
)

test.skipIf(built.code !== 0)('the same client refuses another history, and another key', async () => {
  const [origin, size, root, ...rest] = earlier.split('\n')
  const other = [origin, size, Buffer.from(root!, 'base64').reverse().toString('base64'), ...rest].join('\n')
  expect(await read(other)).toMatchObject({ code: 1 })
  const foreign = join(folder, 'foreign')
  writeFileSync(
    foreign,
    'log PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW\nquorum none\n',
  )
  expect(await read(earlier, foreign)).toMatchObject({ code: 1 })
})

test.skipIf(built.code !== 0)(
  'the fsck of Tessera passes from cold over the API and over hosted files, and finds a changed byte',
  async () => {
    const passed = expect.objectContaining({ code: 0 })
    expect(await run(client, ['fsck', `${url}/v1/log`, policy], { CUPEL_API_KEY: key })).toEqual(passed)
    expect(await run(client, ['fsck', (await hosted()).prefix, policy])).toEqual(passed)
    for (const damage of ['tile/0/000', 'tile/entries/001']) {
      const { prefix, damaged } = await hosted(damage)
      const ended = await run(client, ['fsck', prefix, policy])
      expect(damaged, damage).toEqual([`/${damage}`])
      expect(ended, damage).toMatchObject({ code: 1 })
    }
  },
)

test.skipIf(built.code !== 0)(
  'torchwood accepts the proof of a report with the policy, and no changed one',
  async () => {
    const { report_id: id } = (await screen(url, key, { address: ADDRESS })).json()
    const text = await until(async () => {
      const proof = await call(url, 'GET', `/v1/reports/${String(id)}/proof`, { key })
      expect(proof.status).toBe(200)
      return proof.text
    })
    const file = join(folder, 'proof')
    const ended = (proof: string): Promise<Ended> => {
      writeFileSync(file, proof)
      return run(client, ['proof', file, policy])
    }
    expect(await ended(text)).toMatchObject({ code: 0 })
    expect(await ended(text.replace(/^index \d+$/m, 'index 0'))).toMatchObject({ code: 1 })
    expect(await ended(text.replaceAll(log, 'another'))).toMatchObject({ code: 1 })
  },
)
