/** The database role of a follower: it imports blocks and replaces them, and has no right that no statement of it needs. */
import { randomBytes } from 'node:crypto'
import { startEvmChain } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callCupel, openCommandLine, type CommandLine, type Said } from '../command-line.js'
import { rightsOf, settleRights } from '@cupel/command-line/installation'

const role = `cupel_follower_${randomBytes(6).toString('hex')}`
const of = (digit: string): string => `0x${digit.repeat(40)}`
const HEAD = 30

let installation: CommandLine
let url: string
beforeAll(async () => {
  installation = await openCommandLine()
  await installation.database.execute(`CREATE ROLE ${role} LOGIN PASSWORD 'of-this-test'`)
  await settleRights(installation.database, [{ role, rights: rightsOf(['ledger-follower']) }])
  const own = new URL(installation.connectionString)
  own.username = role
  own.password = 'of-this-test'
  url = own.toString()
}, 60_000)
afterAll(async () => {
  await installation.database.execute(`DROP OWNED BY ${role}`)
  await installation.database.execute(`DROP ROLE ${role}`)
  await installation.close()
})

const cupel = (...args: readonly string[]): Promise<Said> =>
  callCupel({ ...installation.environment, CUPEL_DATABASE_URL: url }, args)

test('it follows a chain, goes on, replaces blocks and tells where it is', async () => {
  const now = Math.floor(Date.now() / 1_000)
  const chain = await startEvmChain({
    ...{ chainId: 43_114, head: HEAD, timeOf: (height) => now - 60 - (HEAD - height) * 12 },
    contents: (height) => ({
      transactions: [
        {
          from: of('a'),
          to: of('b'),
          value: 5n,
          calls: [{ type: 'CALL', from: of('b'), to: of('c'), value: 1n }],
        },
        { from: of('a'), to: of('c'), value: BigInt(height) + 1n, failed: true },
      ],
    }),
  })
  installation.onClose(() => chain.close())
  const follow = (...options: readonly string[]) =>
    cupel(
      'ledger',
      'follow',
      '--chain',
      'AVAX',
      '--rpc',
      chain.url,
      '--segment',
      '10',
      '--every',
      '0',
      ...options,
    )
  expect((await follow('--to', '15', '--confirmations', '5')).error).toBeNull()
  chain.reorganise(12)
  expect(String((await follow('--to', '20', '--confirmations', '5')).error)).toContain(
    'a reorganisation of AVAX',
  )
  expect((await cupel('ledger', 'followers')).out).toContain('a reorganisation of AVAX')
  expect((await follow('--to', '20', '--confirmations', '5', '--replace')).error).toBeNull()
  const [told] = await installation.database.query<{ transfers: number }>(
    `SELECT count(*)::int AS transfers FROM ledger.transfer WHERE retired_segment_id IS NULL AND kind = 'i'`,
  )
  expect(told).toEqual({ transfers: 21 })
})

test.each([
  'SELECT FROM access.api_key',
  'SELECT FROM labels.refreshed_list',
  'DELETE FROM ledger.transfer',
  'TRUNCATE ledger.segment',
  `INSERT INTO log.record (partition_id, record_offset, key, headers, value) VALUES (1, 99, '', '{}', '')`,
  'CREATE TABLE ledger.own (id int)',
])('it is refused: %s', async (statement) => {
  const database = installation.connect({ connectionString: url })
  await expect(database.query(statement)).rejects.toThrow(/permission denied|must be owner/)
})
