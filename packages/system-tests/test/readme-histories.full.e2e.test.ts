/** The commands of README from `npm start` to a report with a money path: those of the page, with a stand-in for the provider and its key. */
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  answered,
  etherscanStandIn,
  serveStandIn,
  type EvmChain,
  type StandInServer,
} from '@cupel/testkit/providers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkout, createHome, environmentFor, removeHome } from '../src/installation.js'
import { until } from '../src/until.js'

const READY_MS = 240_000
const PAYER = `0x${'b'.repeat(40)}`
const ETHER = '1000000000000000000'

/** The commands of the block that names histories, in their order. */
const [writes, starts, screens, ...more] = /echo '\{"providers"[^]*?(?=\n *```)/
  .exec(readFileSync(join(checkout, 'README.md'), 'utf8'))![0]
  .split('\n')
  .map((line) => line.trim())
const [, address = ''] = /screen (0x[0-9A-Fa-f]{40})/.exec(screens!) ?? []
const own = address.toLowerCase()

const chain: EvmChain = {
  movements: [
    {
      ...{ list: 'txlist', height: 18_000_000, hash: `0x${'1'.repeat(64)}` },
      ...{ from: PAYER, to: own, value: ETHER },
    },
  ],
  ...{ newest: 20_000_000, newestAtS: Math.floor(Date.now() / 1_000), secondsPerBlock: 12, branch: 1 },
  landmark: {
    height: 1_920_000,
    hash: '0x4985f5ca3d2afbec36529aa96f74de3cc10a2a4a6c44f2157a57d2c6059a11bb',
  },
}

const home = createHome()
const ended: (() => Promise<unknown>)[] = []
let server: StandInServer

beforeAll(async () => {
  const standIn = etherscanStandIn(chain, { host: 'etherscan', chainId: 1 })
  server = await serveStandIn((question) => {
    const { action, apikey } = Object.fromEntries(question.url.searchParams)
    if (apikey !== 'of-a-test') return answered({ status: '0', message: 'NOTOK', result: 'Invalid API Key' })
    if (action === 'balance') return answered({ status: '1', message: 'OK', result: ETHER })
    if (action === 'eth_getTransactionCount') return answered({ jsonrpc: '2.0', id: 1, result: '0x0' })
    if (action === 'eth_getCode') return answered({ jsonrpc: '2.0', id: 1, result: '0x' })
    return standIn(question)
  })
})
afterAll(async () => {
  for (const end of ended) await end()
  await server.close()
  removeHome(home)
})

test('three commands and a key lead from npm start to a report with a money path', async () => {
  expect(more).toEqual([])
  expect(writes).toContain('"url":"https://api.etherscan.io/v2/api"')
  expect(writes).toContain('"apikey":"…"')
  const folder = workFolder()
  const mine = (command: string): string =>
    command.replace('https://api.etherscan.io/v2/api', `${server.url}/api`).replace('"…"', '"of-a-test"')
  expect((await run(folder, mine(writes!))).exitCode).toBe(0)
  begin(folder, starts!)
  const report = await until('a report', READY_MS, async () => {
    const { exitCode, stdout } = await run(folder, screens!)
    return exitCode === 0 ? stdout : null
  })
  expect(report).toContain('Where value came from and went')
  expect(report).toContain('1 ETH')
  expect(report).not.toContain('is being read')
})

/** A folder whose npm scripts are those of the checkout: the commands write no file into that. */
function workFolder(): string {
  const { scripts } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>
  }
  const there = (script: string): string => script.replaceAll('scripts/', `${checkout}scripts/`)
  const document = {
    name: 'of-a-test',
    scripts: { start: there(scripts['start']!), cupel: there(scripts['cupel']!) },
  }
  writeFileSync(join(home, 'package.json'), JSON.stringify(document))
  return home
}

interface Ended {
  readonly exitCode: number | null
  readonly stdout: string
}

const shell = (folder: string, command: string) =>
  spawn('sh', ['-c', command], {
    ...{ cwd: folder, env: environmentFor(join(home, 'cupel')), stdio: ['ignore', 'pipe', 'pipe'] },
    detached: true,
  })

async function run(folder: string, command: string): Promise<Ended> {
  const child = shell(folder, command)
  let stdout = ''
  child.stdout!.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  const exitCode = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { exitCode, stdout }
}

/** Runs until the test ends, as in another terminal. */
function begin(folder: string, command: string): void {
  const child = shell(folder, command)
  const closed = new Promise((resolve) => child.once('close', resolve))
  ended.push(async () => {
    process.kill(-child.pid!, 'SIGTERM')
    await closed
  })
}
