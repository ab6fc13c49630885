/** `cupel chain-data check` says what each provider gives, and tells no provider an address. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { etherscanStandIn, serveStandIn, solanaStandIn, type StandInServer } from '@cupel/testkit/providers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createContext, EXIT_FAILED } from '@cupel/command-line'
import { createProgram } from '../../src/program.js'

let folder: string
let servers: StandInServer[]
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cupel-chain-data-'))
  servers = []
})
afterEach(async () => {
  process.exitCode = undefined
  await Promise.all(servers.map((server) => server.close()))
  await rm(folder, { recursive: true })
})

const newestAtS = Math.floor(Date.now() / 1_000) - 30

async function serveEtherscan(hasAllCalls: boolean): Promise<StandInServer> {
  const chain = {
    ...{ movements: [], newest: 25_000_000, newestAtS, secondsPerBlock: 12, branch: 1 },
    landmark: {
      height: 1_920_000,
      hash: '0x4985f5ca3d2afbec36529aa96f74de3cc10a2a4a6c44f2157a57d2c6059a11bb',
    },
  }
  const server = await serveStandIn(etherscanStandIn(chain, { host: 'blockscout', hasAllCalls }))
  servers.push(server)
  return server
}

async function check(providers: readonly object[], ...options: readonly string[]): Promise<string> {
  const file = join(folder, 'providers.json')
  await writeFile(file, JSON.stringify({ providers }))
  const lines: string[] = []
  const args = ['chain-data', 'check', ...options]
  const context = {
    ...createContext(providers.length === 0 ? {} : { CUPEL_CHAIN_DATA_FILE: file }, args),
    print: (text: string) => lines.push(text),
    note: () => undefined,
  }
  await (await createProgram(context, args)).parseAsync(args, { from: 'user' })
  return lines.join('\n')
}

test('each provider says its head and which kinds it gives whole', async () => {
  const [explorer, behind] = [await serveEtherscan(false), await serveEtherscan(true)]
  const ledger = { transactions: [], newest: 437_000_000, newestAtS: newestAtS - 90_000, tokenAccounts: [] }
  const node = await serveStandIn(solanaStandIn(ledger))
  servers.push(node)
  const ofExplorer = { kind: 'etherscan', multichain: false, query: { apikey: 'secret-of-the-key' } }
  const text = await check(
    [
      { ...ofExplorer, name: 'explorer', chain: 'ETH', url: `${explorer.url}/api` },
      { ...ofExplorer, name: 'wrong', chain: 'ETC', url: `${behind.url}/api` },
      { name: 'node', kind: 'solana-rpc', chain: 'SOL', url: node.url },
    ],
    '--json',
  )
  expect(process.exitCode).toBe(EXIT_FAILED)
  expect(JSON.parse(text)).toMatchObject({
    items: [
      {
        ...{ name: 'explorer', kind: 'etherscan', chain: 'ETH', origin: explorer.url, error: null },
        head: { height: 24_999_988, at: new Date((newestAtS - 144) * 1_000).toISOString() },
        ...{ histories: ['native', 'token'], incomplete: ['no_traces'] },
      },
      { name: 'wrong', error: 'wrong_chain', head: null },
      { name: 'node', error: 'stale', head: null, histories: [] },
    ],
  })
  expect(text).not.toContain('secret-of-the-key')
  const asked = servers.flatMap((server) => server.asked)
  expect(asked.filter(({ url }) => url.searchParams.has('address'))).toEqual([])
  expect(asked.length).toBeGreaterThan(5)
})

test('a person reads a table, and success is the exit code', async () => {
  const explorer = await serveEtherscan(true)
  const provider = {
    kind: 'etherscan',
    multichain: false,
    name: 'explorer',
    chain: 'ETH',
    url: `${explorer.url}/api`,
  }
  expect(await check([provider])).toMatch(
    /NAME +KIND +CHAIN +STATE +HEAD +WHOLE HISTORIES\nexplorer +etherscan +ETH +answers in \d+ ms +24999988 of \S+ +native, internal, token$/,
  )
  expect(process.exitCode).toBeUndefined()
})

test('without a provider there is nothing to test', async () => {
  await expect(check([])).rejects.toThrow('No provider is configured')
})
