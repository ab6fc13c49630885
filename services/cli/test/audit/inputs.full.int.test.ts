/** Somebody with the owner's account of the database changes rows that decide screens; the log says otherwise. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDecided, type Decided } from '../decided.js'
import { SANCTIONED } from '../some-labels.js'

let decided: Decided
beforeEach(async () => {
  decided = await openDecided()
  await decided.importLabels('sdn', [SANCTIONED.row])
  await decided.screen(SANCTIONED.address, 'ETH')
})
afterEach(() => decided.close())

interface Verified {
  readonly problems: readonly { readonly kind: string; readonly row: string; readonly detail: string }[]
}

async function verify(): Promise<Verified & { exitCode: number }> {
  const { out, exitCode } = await decided.cupel('audit', 'verify', '--json')
  return { ...(JSON.parse(out) as Verified), exitCode }
}

const HEADING =
  'chain,block_number,block_time,tx_hash,log_index,kind,asset,asset_address,from_address,to_address,amount_raw,amount,amount_usd,source,status'
const transferTo = (block: number, receiver: string): string =>
  `ETH,${block},2026-11-20T00:00:00Z,0x${String(block).padStart(64, '0')},,native,ETH,,0x${'4'.repeat(40)},${receiver},1000000000000000000,1,,test,1`

async function importTransfers(): Promise<void> {
  const rows = [1, 2].map((block) => transferTo(block, SANCTIONED.address))
  const file = await decided.file('transfers.csv', [HEADING, ...rows, ''].join('\n'))
  const said = await decided.cupel('ledger', 'import', file, '--format', 'csv', '--chain', 'ETH')
  expect(said.error).toBeNull()
  await decided.relay()
}

test.each([
  ['transfer', 'UPDATE ledger.transfer SET amount = 1', /rows with other values/],
  ['number of transfers', 'DELETE FROM ledger.transfer WHERE block_number = 1', /1 rows fewer/],
  ['segment', 'UPDATE ledger.segment SET complete_to = 9', /segment 1 with another completeTo/],
])(
  'an altered %s of the ledger is named by verify, and recompute proves nothing with it',
  async (_, statement, words) => {
    await importTransfers()
    expect(await verify()).toMatchObject({ exitCode: 0, problems: [] })
    await decided.database.execute(statement)
    const verified = await verify()
    expect(verified.exitCode).toBe(1)
    expect(verified.problems).toContainEqual(
      expect.objectContaining({ detail: expect.stringMatching(words) as string }),
    )
    const recomputed = await decided.cupel('audit', 'recompute', '--level', 'C', '--json')
    expect(recomputed.exitCode).toBe(1)
    expect(JSON.parse(recomputed.out)).toMatchObject({
      is_proven: false,
      ledger_differences: expect.arrayContaining([expect.stringMatching(words)]) as string[],
    })
  },
)

test('the doctor names a segment that the log does not state', async () => {
  await importTransfers()
  const ledger = async () => {
    const { out } = await decided.cupel('doctor', '--json')
    const { findings } = JSON.parse(out) as { findings: { name: string; level: string; detail: string }[] }
    return findings.filter(({ name }) => name === 'ledger')
  }
  expect(JSON.stringify(await ledger())).toContain('1 imports that the log states')
  await decided.database.execute('UPDATE ledger.segment SET complete_to = 9')
  expect(JSON.stringify(await ledger())).toContain('segment 1 with another completeTo')
})
