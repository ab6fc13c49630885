/**
 * Histories on demand: a provider that is hostile by address, one account that uses up the calls of a day, and others who ask how far a
 * reading is. The attack restarts the installation.
 */
import { randomBytes } from 'node:crypto'
import type { RequestListener, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { createClient, type Client } from '../client.js'
import { until } from '../until.js'
import type { Attack } from './attack.js'
import { apiPid, residentMib } from './backlogs.js'
import { closed, listening, urlOf, withProviders } from './providers.js'
import { requestOf, sendRaw } from './raw-http.js'
import { whileHeld } from './strangers.js'
import { victimClient, type Target } from './target.js'

/** Calls for one address, and calls of a day to each provider. */
const CALLS = { perScreen: 20, perDay: 400 }
/** Addresses that one account screens to use up the day. */
const GREEDY = 60
/** Memory of the process that reads, in which a busy moment of its own work has room. */
const MAX_GROWTH_MIB = 384
/** Only a hang takes longer. */
const TIMEOUT_MS = 240_000
const SETTINGS = {
  CUPEL_HISTORIES: 'true',
  CUPEL_HISTORY_CALLS_PER_SCREEN: String(CALLS.perScreen),
  CUPEL_HISTORY_CALLS_PER_DAY: String(CALLS.perDay),
  CUPEL_HISTORY_CALLS_PER_SECOND: '1000',
}
const NEWEST = 20_000_000
/** The block by which Ethereum is told from other chains. */
const LANDMARK = {
  height: 1_920_000,
  hash: '0x4985f5ca3d2afbec36529aa96f74de3cc10a2a4a6c44f2157a57d2c6059a11bb',
}

type Answer = (response: ServerResponse, query: URLSearchParams, inside: string) => void

const json = (response: ServerResponse, value: unknown): void => void response.end(JSON.stringify(value))
const list = (result: readonly unknown[]) => ({ status: '1', message: 'OK', result })
const none = { status: '0', message: 'No transactions found', result: [] }

/** A row of a page; `over`: what is wrong with it. */
const row = (height: number, address: string, over: Readonly<Record<string, unknown>> = {}) => ({
  ...{ blockNumber: String(height), timeStamp: '1700000000', hash: `0x${randomBytes(32).toString('hex')}` },
  ...{ from: address, to: `0x${'b'.repeat(40)}`, value: '1', contractAddress: '', isError: '0' },
  ...{ txreceipt_status: '1', transactionIndex: '1', ...over },
})

/** By the last digit of the address: what the provider answers if it is asked for a list. */
const WAYS: readonly Answer[] = [
  (response) => void response.end(`{"result":["${'a'.repeat(9 * 1_048_576)}"]}`),
  (response) => {
    const timer = setInterval(() => response.write(' '), 50)
    response.on('close', () => clearInterval(timer))
  },
  (response) => void response.end(`${'['.repeat(1_000_000)}`),
  (response, _query, inside) => void response.writeHead(302, { location: inside }).end(),
  (response) =>
    void response
      .writeHead(200, { 'content-encoding': 'gzip' })
      .end(gzipSync(Buffer.alloc(64 * 1_048_576, ' '))),
  (response, query) =>
    void response.end(
      `{"status":"1","message":"OK","result":[{"blockNumber":9007199254740993,"value":1e400,"from":"${query.get('address')}","gas":${'9'.repeat(90)}}]}`,
    ),
  // Each page is full and ends one block further, so there is always another one.
  (response, query) => {
    const first = Number(query.get('startblock'))
    const address = query.get('address')!
    json(
      response,
      list(
        Array.from({ length: Number(query.get('offset')) }, (_, at) =>
          row(first + (at === 0 ? 0 : 1), address),
        ),
      ),
    )
  },
]
const ENDLESS = WAYS.length - 1

/** Answers what a history needs before its lists, and asks `way` for those. */
function explorer(asked: string[], way: (address: string) => Answer | null, inside: string): RequestListener {
  return ({ url, headers }, response) => {
    asked.push(`${url} ${JSON.stringify(headers)}`)
    const query = new URL(url ?? '', 'http://provider').searchParams
    const address = query.get('address') ?? ''
    const action = query.get('action')
    if (action === 'eth_getBlockByNumber') {
      const height = query.get('tag') === 'latest' ? NEWEST : Number(query.get('tag'))
      const atS = Math.floor(Date.now() / 1_000) - 9 - (NEWEST - height) * 12
      const hash = height === LANDMARK.height ? LANDMARK.hash : `0x${height.toString(16).padStart(64, '0')}`
      const block = { number: `0x${height.toString(16)}`, hash, timestamp: `0x${atS.toString(16)}` }
      return json(response, { jsonrpc: '2.0', id: 1, result: block })
    }
    if (action === 'balance') return json(response, { status: '1', message: 'OK', result: '0' })
    if (action === 'eth_getTransactionCount' || action === 'eth_getCode')
      return json(response, { jsonrpc: '2.0', id: 1, result: action === 'eth_getCode' ? '0x' : '0x0' })
    const hostile = way(address)
    if (hostile === null) json(response, none)
    else hostile(response, query, inside)
  }
}

const addressOf = (digit: number): string => `0x${randomBytes(19).toString('hex')}f${digit}`

interface Screened {
  readonly report_id: string
  readonly risk: { readonly level: string }
  readonly coverage: { readonly history?: { readonly status: string; readonly reason?: string } }
}

/** Screens until nothing of the history is read any more. */
async function settled(client: Client, address: string, reference: string): Promise<Screened> {
  return await until(`the end of the reading for ${address}`, TIMEOUT_MS, async () => {
    const body = JSON.stringify({ address, chain: 'ETH', customer_reference: reference })
    const { status, text } = await client.send('POST', '/v1/screen', body, { prefer: 'wait=20' })
    if (status !== 200) throw new Error(text)
    const report = JSON.parse(text) as Screened
    return report.coverage.history?.status !== 'reading' && report
  })
}

/** Answers of others about the reading of a report, which must be those about a report that nobody has. */
async function toldToOthers(target: Target, report: string): Promise<string[]> {
  const { baseUrl, attacker } = target
  const { host } = new URL(baseUrl)
  const path = (id: string): string => `/v1/reports/${id}/history`
  const statusOf = async (id: string, key?: string): Promise<number | null> =>
    (
      await sendRaw(baseUrl, {
        bytes: requestOf('GET', path(id), { host, ...(key === undefined ? {} : { key }) }),
      })
    ).status
  const [stranger, other, nobodys] = [
    await statusOf(report),
    await statusOf(report, attacker.key),
    await statusOf('0'.repeat(16), attacker.key),
  ]
  return stranger === 401 && other === 404 && nobodys === 404
    ? []
    : [`${stranger}, ${other} and ${nobodys} for others`]
}

const wayOf = (address: string): Answer | null =>
  address.at(-2) === 'f' ? (WAYS[Number(address.at(-1))] ?? null) : null
const status = (report: Screened): string | undefined => report.coverage.history?.status

export const histories: readonly Attack[] = [
  {
    name: `histories of a provider that is hostile in ${WAYS.length} ways, and ${GREEDY} addresses of one account`,
    threat: 'cost',
    isLong: true,
    place: 'installation',
    async run(target) {
      let reached = 0
      const inside = await listening((_request, response) => {
        reached += 1
        response.end('{}')
      })
      const [asked, askedOfHonest]: [string[], string[]] = [[], []]
      const servers = await Promise.all([
        listening(explorer(asked, wayOf, urlOf(inside))),
        listening(explorer(askedOfHonest, () => null, urlOf(inside))),
      ])
      const reference = `Jane${randomBytes(6).toString('hex')}`
      try {
        return await withProviders(target, { servers, settings: SETTINGS }, async () => {
          const attacker = createClient([target.baseUrl], target.attacker.key)
          const victim = victimClient(target)
          try {
            const beforeMib = residentMib(apiPid(target))
            const hostile = WAYS.map((_, digit) => addressOf(digit))
            // It comes first: after some failures the provider is asked for nothing for a while.
            const endlessReport = await settled(attacker, hostile[ENDLESS]!, reference)
            const reading = Promise.all(
              hostile.slice(0, ENDLESS).map((address) => settled(attacker, address, reference)),
            )
            const { held, ...others } = await whileHeld(target, [])
            const reports = [...(await reading), endlessReport]
            const grewMib = residentMib(apiPid(target)) - beforeMib
            const endless = asked.filter(
              (call) => call.includes('startblock=') && call.includes(`address=${hostile[ENDLESS]}`),
            ).length
            await Promise.all(
              Array.from({ length: GREEDY }, () => settled(attacker, addressOf(9), reference)),
            )
            const last = await settled(victim, addressOf(9), reference)
            const faults = [
              ...(held ? [] : ['screens of a customer']),
              ...(reached === 0 ? [] : [`${reached} calls inside`]),
              ...(grewMib <= MAX_GROWTH_MIB ? [] : [`${grewMib} MiB more`]),
              ...(endless <= CALLS.perScreen ? [] : [`${endless} calls for one address`]),
              ...reports.flatMap((report, digit) =>
                (digit === ENDLESS ? status(report) === 'failed' : status(report) === 'fresh') &&
                report.risk.level !== 'green'
                  ? []
                  : [`way ${digit} is ${status(report)} and ${report.risk.level}`],
              ),
              ...(status(last) === 'fresh'
                ? []
                : [`a history of another customer is ${JSON.stringify(last.coverage.history)}`]),
              ...([...asked, ...askedOfHonest].some((call) => call.includes(reference))
                ? ['a customer reference at a provider']
                : []),
              ...target
                .scanFiles(target.installation.home, [reference])
                .found.map((found) => `a customer reference: ${found}`),
              ...(await toldToOthers(target, last.report_id)),
            ]
            return {
              limit: `${others.limit}; ${CALLS.perScreen} calls for one address, ${MAX_GROWTH_MIB} MiB more, no call inside, nothing green, and the history of another customer`,
              measured: `${others.measured}; ${endless} calls for the endless one, ${grewMib} MiB more; ${faults.join(', ') || 'nothing else'}`,
              held: faults.length === 0,
            }
          } finally {
            await attacker.close()
            await victim.close()
          }
        })
      } finally {
        for (const server of [inside, ...servers]) closed(server)
      }
    },
  },
]
