/** The import of a ledger records its reason, like every other action of an operator. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDecided, type Decided } from '../decided.js'
import { EXIT_USAGE } from '@cupel/command-line'
import { operator } from '@cupel/command-line/installation'

let decided: Decided
beforeAll(async () => {
  decided = await openDecided()
})
afterAll(async () => await decided.close())

const HEADING =
  'chain,block_number,block_time,tx_hash,log_index,kind,asset,asset_address,from_address,to_address,amount_raw,amount,amount_usd,source'
const ROW =
  'ETH,100,2023-05-02 12:00:00,,0,native,ETH,,0x1111111111111111111111111111111111111111,0x2222222222222222222222222222222222222222,5,,,me'

const imported = async (): Promise<readonly unknown[]> => {
  const rows = await decided.database.query<{ event: { data: unknown } }>(
    `SELECT event FROM projection.outbox WHERE event->>'type' = 'LedgerSegmentImported'`,
  )
  return rows.map(({ event }) => event.data)
}

test('who imported a file and why is recorded, and a reason nobody could read is refused before anything is read', async () => {
  const file = await decided.file('transfers.csv', `${HEADING}\n${ROW}\n`)
  const order = ['ledger', 'import', file, '--format', 'csv', '--chain', 'ETH', '--reason']
  for (const reason of ['x'.repeat(501), 'line\nbreak']) {
    const { error } = await decided.cupel(...order, reason)
    expect(error).toMatchObject({
      exitCode: EXIT_USAGE,
      message: expect.stringContaining('A reason has') as string,
    })
  }
  expect(await imported()).toEqual([])
  await decided.json(...order, ' May, ticket 117 ')
  expect(await imported()).toMatchObject([{ importedBy: operator(), reason: 'May, ticket 117' }])
})
