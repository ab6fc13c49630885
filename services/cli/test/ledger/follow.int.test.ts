/** `cupel ledger follow` on an installation: screens of a followed chain have exposure over a whole history, and a stopped follower is red. */
import { startEvmChain, until, type EvmChain } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDecided, type Decided } from '../decided.js'
import { EXIT_FAILED, EXIT_NOT_FOUND, EXIT_USAGE } from '@cupel/command-line'

const of = (digit: string): string => `0x${digit.repeat(40)}`
const [THIEF, WALLET, FRIEND, VALIDATOR, CONTRACT] = ['a', 'b', 'c', 'd', 'e'].map(of) as [
  string,
  string,
  string,
  string,
  string,
]
const USDC = '0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e'
const ETHER = 10n ** 18n
const HEAD = 30
const KEY = 'KEY0123456789'

let decided: Decided
let chain: EvmChain
beforeAll(async () => {
  decided = await openDecided({ settings: { CUPEL_EXPOSURE_BUDGET_MS: '10000' } })
  const now = Math.floor(Date.now() / 1_000)
  chain = await startEvmChain({
    ...{ chainId: 43_114, head: HEAD, timeOf: (height) => now - 60 - (HEAD - height) * 12 },
    contents: (height) =>
      height === 3
        ? {
            transactions: [
              { from: THIEF, to: WALLET, value: 60n * ETHER },
              {
                from: FRIEND,
                to: CONTRACT,
                value: 20n * ETHER,
                calls: [{ type: 'CALL', from: CONTRACT, to: WALLET, value: 20n * ETHER }],
              },
              {
                from: FRIEND,
                to: USDC,
                tokens: [{ contract: USDC, from: of('1'), to: of('2'), value: 7_000_000n }],
              },
            ],
          }
        : height === 4
          ? { withdrawals: [{ address: WALLET, gwei: 20n * 10n ** 9n }] }
          : { transactions: [{ from: VALIDATOR, to: FRIEND, value: BigInt(height + 1) * ETHER }] },
  })
  decided.onClose(() => chain.close())
  await decided.importLabels('thefts', [
    `${THIEF},AVAX,stolen,A thief,my_list,https://example.org/x,0.95,2026-11-20`,
  ])
  // No node tells the allocations of the first block.
  const allocated = [THIEF, FRIEND, VALIDATOR].map((to) => `AVAX,issuance,,${to},${1_000n * ETHER},,0,1\n`)
  const genesis = await decided.file(
    'genesis.csv',
    `chain,kind,from_address,to_address,amount_raw,amount,block_number,status\n${allocated.join('')}`,
  )
  const whole = ['--complete-from', '0', '--complete-to', '0', '--covers', 'internal']
  await decided.json('ledger', 'import', genesis, '--format', 'csv', '--chain', 'AVAX', ...whole)
})
afterAll(async () => await decided.close())

const follow = (...options: readonly string[]) =>
  decided.cupel(
    ...[
      'ledger',
      'follow',
      '--chain',
      'avax',
      '--rpc',
      `${chain.url}/?key=${KEY}`,
      '--segment',
      '10',
      '--every',
      '0',
    ],
    ...options,
  )
interface Told {
  readonly items: readonly {
    readonly chain: string
    readonly next_height: number
    readonly fault: string | null
  }[]
}
const followers = async (): Promise<Told['items']> => (await decided.json<Told>('ledger', 'followers')).items

test('a screen of a followed chain measures exposure over a whole history', async () => {
  const { error, notes } = await follow('--from', '0', '--to', '25', '--confirmations', '5')
  expect(error).toBeNull()
  expect(notes).toContain('Calls come from trace_block.')
  expect(notes).toMatch(
    /AVAX 1–10: \d+ transfers of native, internal, token, state 3 of the ledger, sha256 [0-9a-f]{64}; [\d,]+ blocks\/min/,
  )
  expect(await followers()).toEqual([])
  const report = await until(async () => {
    const found = await decided.screen(WALLET, 'AVAX')
    expect(found.inputs.exposure?.ledgerSeq).toBe(5)
    return found
  })
  expect(report.levelReasons).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/no_traces|no_tokens|incomplete/)]),
  )
  const document = JSON.parse(report.report) as {
    readonly coverage: { readonly exposure: { readonly status: string } }
    readonly risk: {
      readonly evidence: readonly {
        readonly category: string
        readonly exposure?: { readonly share?: number }
      }[]
    }
  }
  expect(document.coverage.exposure).toMatchObject({ status: 'complete' })
  // 60 of the 100 coins that it got came from the thief.
  expect(JSON.stringify(document.risk.evidence)).toContain('"share":0.6')
})

test('a reorganisation stops it: the state is red and names the blocks, and --replace goes on', async () => {
  chain.reorganise(8)
  const stopped = await follow('--to', '26', '--confirmations', '4')
  expect(stopped.error).toMatchObject({
    exitCode: EXIT_FAILED,
    message: expect.stringContaining(
      'deeper than the confirmations replaced blocks between 1 and 25',
    ) as string,
  })
  const [told] = await followers()
  expect(told!.fault).toContain('cannot go on: a reorganisation of AVAX')
  const { out } = await decided.cupel('status', '--json')
  const { healthy, standstills } = JSON.parse(out) as {
    healthy: boolean
    standstills: { part: string; detail: string }[]
  }
  expect(healthy).toBe(false)
  expect(standstills.find(({ part }) => part === 'follower')!.detail).toBe(told!.fault)
  expect((await decided.cupel('doctor')).out).toContain('a reorganisation of AVAX')
  expect((await follow('--to', '26', '--confirmations', '4', '--replace')).error).toBeNull()
  expect(await followers()).toEqual([])
})

test('a follower that nobody sees any more is red until its chain is unfollowed', async () => {
  await decided.database.execute(
    `INSERT INTO ledger.follower (chain, seen_at, next_height) VALUES ('AVAX', clock_timestamp() - interval '5 minutes', 27)`,
  )
  expect((await followers())[0]!.fault).toMatch(
    /^The follower of AVAX at height 27 was last seen 30\d s ago\.$/,
  )
  expect((await decided.cupel('ledger', 'unfollow', 'AVAX')).error).toBeNull()
  expect(await followers()).toEqual([])
  expect((await decided.cupel('ledger', 'unfollow', 'AVAX')).error).toMatchObject({
    exitCode: EXIT_NOT_FOUND,
  })
})

test('the key in the URL is in no message, no row and no record', async () => {
  chain.answer = (_request, response) => {
    response.writeHead(401).end()
    return true
  }
  const refused = await follow()
  chain.answer = null
  expect(refused.error).toMatchObject({ exitCode: EXIT_FAILED })
  for (const url of ['ftp://x/KEY0123456789', 'KEY0123456789']) {
    const { error } = await decided.cupel('ledger', 'follow', '--chain', 'AVAX', '--rpc', url)
    expect(error).toMatchObject({ exitCode: EXIT_USAGE })
    expect(String(error)).not.toContain(KEY)
  }
  const kept = await decided.database.query(`SELECT event FROM projection.outbox`)
  const rows = await decided.database.query('SELECT * FROM ledger.follower, ledger.segment')
  expect(JSON.stringify([String(refused.error), refused.notes, kept, rows])).not.toContain(KEY)
})
