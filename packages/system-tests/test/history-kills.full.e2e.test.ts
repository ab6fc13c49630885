/** A scorer that is killed with kill -9 while it reads a history, next to another one on the Kafka profile: that one reads on, and nothing is doubled or lost. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { noteSkip } from '@cupel/testkit'
import {
  answered,
  etherscanStandIn,
  serveStandIn,
  type EvmChain,
  type EvmMovement,
  type StandInAnswer,
  type StandInQuestion,
  type StandInServer,
} from '@cupel/testkit/providers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient, type Answer, type Client } from '../src/client.js'
import { cupel, enterpriseKey } from '../src/command.js'
import { createHome, removeHome, startInstallation, type Installation } from '../src/installation.js'
import { readTopic } from '../src/kafka-log.js'
import { ownerOfPort } from '../src/port-owner.js'
import { until } from '../src/until.js'

/** Only a hang takes longer. */
const TIMEOUT_MS = 120_000
/** The bytes of its partition decide which scorer has a request: of so many, both have some. */
const MOST_SCREENS = 64
const PATIENT = 4
const ETHER = 10n ** 18n
const ALICE = `0x${'a'.repeat(40)}`
const PAYER = `0x${'b'.repeat(40)}`
/** The second of the three lists that a history has. */
const HELD_LIST = 'txlistinternal'

let hashes = 0
const paid = (list: EvmMovement['list'], height: number): EvmMovement => ({
  ...{ list, height, from: PAYER, to: ALICE, value: String(ETHER) },
  hash: `0x${(hashes += 1).toString(16).padStart(64, '0')}`,
})
const chain: EvmChain = {
  movements: [
    ...[paid('txlist', 18_000_000), paid('txlist', 19_000_000)],
    ...[paid('txlistinternal', 18_500_000), paid('txlistinternal', 19_500_000)],
  ],
  ...{ newest: 20_000_000, newestAtS: Math.floor(Date.now() / 1_000), secondsPerBlock: 12, branch: 1 },
  landmark: {
    height: 1_920_000,
    hash: '0x4985f5ca3d2afbec36529aa96f74de3cc10a2a4a6c44f2157a57d2c6059a11bb',
  },
}

interface ReportBody {
  readonly report_id: string
  readonly exposure?: readonly {
    readonly direction: string
    readonly total: string
    readonly total_complete: boolean
  }[]
  readonly coverage: {
    readonly exposure: { readonly histories?: readonly { readonly address: string }[] }
  }
}

const missing = process.env['CUPEL_TEST_KAFKA_MISSING']
if (missing !== undefined) noteSkip(`a killed reading on the Kafka profile: ${missing}`)

describe.skipIf(missing !== undefined)('two scorers on the Kafka profile', () => {
  const home = createHome()
  const folder = join(home, 'histories')
  let server: StandInServer
  let installation: Installation
  let client: Client
  /** Who asked for a list of the address, in order. */
  const asked: { readonly list: string; readonly pid: number | undefined }[] = []
  let held: number | undefined
  let isHeld = true

  beforeAll(async () => {
    const standIn = etherscanStandIn(chain, { host: 'etherscan', chainId: 1 })
    server = await serveStandIn(async (question) => {
      const list = listOfAlice(question)
      if (list !== null) {
        const pid = ownerOfPort(installation.pids('scorer'), question.port!)
        asked.push({ list, pid })
        if (isHeld && list === HELD_LIST) {
          held = pid
          await until('the kill', 10 * TIMEOUT_MS, () => Promise.resolve(!isHeld))
        }
      }
      return stateOf(question) ?? standIn(question)
    })
    const file = join(home, 'providers.json')
    const provider = { name: 'explorer', kind: 'etherscan', chain: 'ETH', url: `${server.url}/api` }
    writeFileSync(file, JSON.stringify({ providers: [provider] }))
    installation = await startInstallation({
      ...{ kafka: true, scale: 'scorer=2', home },
      environment: {
        ...{ CUPEL_CHAIN_DATA_FILE: file, CUPEL_HISTORIES: 'true', CUPEL_HISTORY_FOLDER: folder },
        ...{ CUPEL_HISTORY_CALLS_PER_SECOND: '1000', CUPEL_SCREEN_DEADLINE_MS: '20000' },
      },
    })
    client = createClient(installation.ready.base_urls, await enterpriseKey(home))
  })
  afterAll(async () => {
    isHeld = false
    await client?.close()
    await installation?.stop()
    await server?.close()
    removeHome(home)
  })

  const screen = (headers: Record<string, string> = {}): Promise<Answer> =>
    client.send('POST', '/v1/screen', JSON.stringify({ address: ALICE, chain: 'ETH' }), headers)

  test(
    'a history that one of them reads when it is killed is read on by the other one, once and whole',
    async () => {
      const promised: string[] = []
      const patient = Array.from({ length: PATIENT }, () => screen({ prefer: 'wait=20' }))
      // Both have screens that wait for the history: one reads, and the other one waits for its turn.
      for (let sent = 0; sent < MOST_SCREENS && (await scorersThatWait()) < 2; sent += 1)
        promised.push(reportOf(await screen()).report_id)
      expect(await scorersThatWait()).toBe(2)
      const killed = await until('a reading that goes on', TIMEOUT_MS, () => Promise.resolve(held))
      expect(asked.map(({ list }) => list)).toEqual(['txlist', HELD_LIST])
      expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toHaveLength(1)

      process.kill(killed, 'SIGKILL')
      await until('the end of the scorer', TIMEOUT_MS, () =>
        Promise.resolve(!installation.pids('scorer').includes(killed)),
      )
      isHeld = false
      const whole = await until('a report with the whole history', TIMEOUT_MS, async () => {
        const { status, text } = await screen({ prefer: 'wait=20' })
        const report = status === 200 ? (JSON.parse(text) as ReportBody) : null
        return report?.coverage.exposure.histories?.some((one) => one.address === ALICE) === true && report
      })

      const readOn = asked.slice(2)
      expect(readOn.map(({ list }) => list)).toEqual(['txlist', HELD_LIST, 'tokentx'])
      expect(new Set(readOn.map(({ pid }) => pid)).size).toBe(1)
      expect(readOn[0]!.pid).not.toBe(killed)
      expectWhole(whole)
      await expectOneSegment()
      for (const { text } of await Promise.all(patient)) {
        // A call that was not accepted promised nothing.
        const { report_id: id } = JSON.parse(text) as Partial<ReportBody>
        if (id !== undefined) promised.push(id)
      }
      for (const id of promised)
        await until(`report ${id}`, TIMEOUT_MS, async () => (await client.report(id)).status === 200)
      for (const proof of [['verify'], ['recompute', '--level', 'C']]) {
        const { exitCode, stdout } = await cupel(home, ['audit', ...proof], { CUPEL_HISTORY_FOLDER: folder })
        expect(exitCode, stdout).toBe(0)
      }
    },
    15 * 60_000,
  )

  async function scorersThatWait(): Promise<number> {
    const metrics = await Promise.all(
      installation.ready.metrics_urls.map(async (url) => await (await fetch(url)).text()),
    )
    return metrics.filter((text) => /^cupel_history_readings_waiting\{[^}]*\} [1-9]/m.test(text)).length
  }

  async function expectOneSegment(): Promise<void> {
    const segments = (await readTopic(installation.ready, 'screening.ledger.events.v1'))
      .map(
        ({ value }) =>
          value as {
            readonly sha256: string
            readonly rows: unknown
            readonly history: { readonly address: string } | null
          },
      )
      .filter(({ history }) => history?.address === ALICE)
    expect(segments).toMatchObject([{ history: { address: ALICE, provider: 'explorer', incomplete: [] } }])
    expect(String(segments[0]!.rows)).toBe(String(chain.movements.length))
    const files = readdirSync(folder).filter((name) => name.includes(ALICE))
    expect(files).toEqual([expect.stringMatching(/^ETH-0xa+-explorer-\d+\.jsonl$/)])
    const kept = createHash('sha256').update(readFileSync(join(folder, files[0]!)))
    expect(segments[0]!.sha256).toBe(kept.digest('hex'))
  }
})

function listOfAlice({ url: { searchParams } }: StandInQuestion): string | null {
  const list = searchParams.get('action')
  const isList = list === 'txlist' || list === 'txlistinternal' || list === 'tokentx'
  return isList && searchParams.get('address') === ALICE ? list : null
}

/** The state of an address, which the stand-in of lists does not tell; the history of the payer is of no interest. */
function stateOf({ url: { searchParams } }: StandInQuestion): StandInAnswer | undefined {
  const { action = '', address } = Object.fromEntries(searchParams)
  const received = address === ALICE ? ETHER * BigInt(chain.movements.length) : 0n
  if (action === 'balance') return answered({ status: '1', message: 'OK', result: String(received) })
  if (action === 'eth_getTransactionCount') return answered({ jsonrpc: '2.0', id: 1, result: '0x0' })
  return action === 'eth_getCode' ? answered({ jsonrpc: '2.0', id: 1, result: '0x' }) : undefined
}

function reportOf({ status, text }: Answer): ReportBody {
  expect(status, text).toBe(200)
  return JSON.parse(text) as ReportBody
}

function expectWhole({ exposure, coverage }: ReportBody): void {
  const total = `${chain.movements.length} ETH`
  expect(exposure).toMatchObject([{ direction: 'incoming', total, total_complete: true }])
  expect(coverage.exposure.histories).toContainEqual(
    expect.objectContaining({ address: ALICE, provider: 'explorer', incomplete: [] }),
  )
}
