/** A scorer whose providers of histories are stand-ins of explorers, each with a chain that a test makes up. */
import type { EventData, Report } from '@cupel/contracts'
import { landmarks } from '@cupel/chain-data'
import { chainOf, type ChainCode } from '@cupel/domain'
import { loadConfig, type RunningService } from '@cupel/kit/service'
import {
  answered,
  etherscanStandIn,
  serveStandIn,
  type EvmChain,
  type EvmMovement,
  type StandIn,
  type StandInServer,
} from '@cupel/testkit/providers'
import { expect, vi } from 'vitest'
import type { ScorerDeps } from '../src/start-scorer.js'
import { openFollowed, type Installation } from './installation.js'

export const WAIT = { timeout: 150_000, interval: 20 }
export const address = (digit: string): string => `0x${digit.repeat(40)}`
export const EXCHANGE = address('e')
export const LAZARUS = '0x098b716b8aaf21512996dc57eb0615e2383e2f96'
const ETHER = 10n ** 18n
const defaults = loadConfig({ CUPEL_DATABASE_URL: 'postgres://nobody@127.0.0.1/none' })

let hashes = 0
export const paid = (from: string, to: string, height: number, wei = ETHER): EvmMovement => ({
  ...{ list: 'txlist', height, from, to, value: String(wei) },
  hash: `0x${(hashes += 1).toString(16).padStart(64, '0')}`,
})

export interface Explorer {
  readonly name: string
  readonly code: ChainCode
  readonly chain: EvmChain
  readonly server: StandInServer
  /** Answers before the stand-in does; undefined leaves the answer to it. */
  first: (question: Parameters<StandIn>[0]) => ReturnType<StandIn> | undefined
  /** How often the list of transactions of an address was asked for. */
  readonly historyCalls: (of: string) => number
  readonly asked: (of: string) => number
}

export async function openExplorer(name: string, code: ChainCode): Promise<Explorer> {
  const chain: EvmChain = {
    ...{ movements: [], newest: 20_000_000, newestAtS: Math.floor(Date.now() / 1_000) - 9 },
    ...{ secondsPerBlock: 12, branch: 1, landmark: landmarks[code]! },
  }
  const standIn = etherscanStandIn(chain, { host: 'etherscan', chainId: chainOf(code).chainId! })
  const asked: Pick<Explorer, 'first'> = { first: () => undefined }
  const server = await serveStandIn(
    (question) => asked.first(question) ?? stateOf(chain, question) ?? standIn(question),
  )
  const callsOf = (of: string, action?: string): number =>
    server.asked.filter(
      ({ url: { searchParams } }) =>
        searchParams.get('address') === of && (action === undefined || searchParams.get('action') === action),
    ).length
  return Object.assign(asked, {
    ...{ name, code, chain, server },
    ...{ historyCalls: (of: string) => callsOf(of, 'txlist'), asked: (of: string) => callsOf(of) },
  })
}

/** The balance that the movements leave to an address. */
export const balanceOf = ({ movements }: EvmChain, of: string): bigint =>
  movements.reduce(
    (sum, { from, to, value }) => sum + (to === of ? BigInt(value) : 0n) - (from === of ? BigInt(value) : 0n),
    0n,
  )

/** The state of an address, which the stand-in of lists does not tell. */
function stateOf(chain: EvmChain, { url }: Parameters<StandIn>[0]): ReturnType<StandIn> | undefined {
  const { action, address: of = '' } = Object.fromEntries(url.searchParams)
  const outgoing = chain.movements.filter(({ from }) => from === of).length
  const results: Readonly<Record<string, unknown>> = {
    balance: { status: '1', message: 'OK', result: String(balanceOf(chain, of)) },
    eth_getTransactionCount: { jsonrpc: '2.0', id: 1, result: `0x${outgoing.toString(16)}` },
    eth_getCode: { jsonrpc: '2.0', id: 1, result: '0x' },
  }
  return results[action ?? ''] === undefined ? undefined : answered(results[action ?? ''])
}

export interface Explored {
  readonly installation: Installation
  /** Of a scorer that reads histories from the explorers. */
  readonly config: ScorerDeps['config']
  /** Where it keeps what they gave. */
  readonly folder: string
  start(over?: Readonly<Record<string, string | number | boolean>>): Promise<RunningService>
  screen(
    of: string,
    over?: Partial<EventData['ScreenRequested']>,
  ): Promise<{ readonly report: Report; readonly event: EventData['ReportGenerated'] }>
  close(): Promise<void>
}

/** With a designated address, and an exchange, on ETH. `document` has further fields of the file of providers. */
export async function explore(
  explorers: readonly Explorer[],
  document: Readonly<Record<string, unknown>> = {},
): Promise<Explored> {
  const installation = await openFollowed()
  const of = { chain: 'ETH', sourceUrl: '', confidencePpm: 990_000 }
  await installation.publish('ofac_sdn', [
    { ...of, address: LAZARUS, category: 'sanctions', entity: 'Lazarus Group', source: 'ofac_sdn' },
  ])
  await installation.publish('my_list', [
    { ...of, address: EXCHANGE, category: 'clean_exchange', entity: 'An exchange', source: 'my_list' },
  ])
  const providers = explorers.map(({ name, code, server }) => ({
    ...{ name, kind: 'etherscan', chain: code, url: `${server.url}/api` },
  }))
  const file = await installation.file('providers.json', JSON.stringify({ providers, ...document }))
  const folder = `${file}.histories`
  const config: ScorerDeps['config'] = {
    ...defaults,
    CUPEL_CHAIN_DATA_FILE: file,
    CUPEL_CHAIN_DATA_BUDGET_MS: 10_000,
    CUPEL_EXPOSURE_BUDGET_MS: 10_000,
    CUPEL_HISTORIES: true,
    CUPEL_HISTORY_FOLDER: folder,
    CUPEL_HISTORY_CALLS_PER_SECOND: 1_000,
  }
  return {
    ...{ installation, config, folder },
    async start(over = {}) {
      const scorer = await installation.start({ config: { ...config, ...over } })
      await vi.waitFor(() => expect(scorer.checks().filter(({ ok }) => !ok)).toEqual([]), WAIT)
      return scorer
    },
    async screen(of, over = {}) {
      const id = await installation.request(of, 'ETH', over)
      const [told] = await vi.waitFor(async () => {
        const answers = await installation.answers(id)
        expect(answers.length).toBeGreaterThan(0)
        return answers
      }, WAIT)
      if (told?.type !== 'ReportGenerated') throw new Error(`${id} has no report`)
      return { report: JSON.parse(told.data.report) as Report, event: told.data }
    },
    async close() {
      await installation.close()
      await Promise.all(explorers.map(({ server }) => server.close()))
    },
  }
}

/** A caller that waits for the histories. */
export const patient = () => ({ stagesByAt: new Date(Date.now() + 60_000).toISOString() })
