/** The files of histories belong to a backup: `audit verify` names each that is gone or is another one. */
import { mkdtempSync, rmSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importLedger } from '@cupel/ledger'
import { until } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDecided, type Decided } from '../../decided.js'
import { UNLISTED } from '../../some-labels.js'

const ALICE = `0x${'a'.repeat(40)}`
const folder = mkdtempSync(join(tmpdir(), 'cupel-histories-'))
const file = join(folder, 'ETH-alice-explorer-90.jsonl')

let decided: Decided
beforeAll(async () => {
  decided = await openDecided({ settings: { CUPEL_HISTORY_FOLDER: folder } })
  await decided.screen(UNLISTED.address, 'ETH')
  const line = {
    ...{ chain: 'ETH', block_number: '80', block_time: '1760000000', tx_hash: `0x${'1'.repeat(64)}` },
    ...{
      kind: 'native',
      from_address: `0x${'b'.repeat(40)}`,
      to_address: ALICE,
      amount_raw: '5',
      status: '1',
    },
    ...{ log_index: '', asset_address: '', amount: '', transaction_index: '' },
  }
  await writeFile(file, `${JSON.stringify(line)}\n`)
  const result = await importLedger(
    {
      ...{ file, format: 'csv', chain: 'ETH', importedBy: 'scorer', reason: 'History of one address' },
      ...{ completeFrom: 0, completeTo: 90, covers: ['native', 'internal', 'token'] },
      history: {
        address: ALICE,
        provider: 'explorer',
        height: 90,
        hash: '',
        atS: 1_760_000_100,
        incomplete: [],
      },
    },
    { database: decided.connect({ statementTimeoutMs: 0 }) },
  )
  expect(result.status).toBe('imported')
  await decided.relay()
})
afterAll(async () => {
  await decided.close()
  rmSync(folder, { recursive: true, force: true })
})

interface Verified {
  readonly problems: readonly { readonly kind: string; readonly row: string; readonly detail: string }[]
  readonly warnings: readonly string[]
}

async function verified(): Promise<Verified> {
  const { out } = await decided.cupel('audit', 'verify', '--json')
  const { problems, warnings } = JSON.parse(out) as Verified
  return { problems: problems.filter(({ kind }) => kind !== 'table'), warnings }
}

test('a kept file that is whole is not a problem', async () => {
  await until(async () => expect(await verified()).toEqual({ problems: [], warnings: [] }))
})

test('a file that is gone, and one that is another one, is named with its segment', async () => {
  await rename(file, `${file}.away`)
  const problemOf = (what: string) => [
    expect.objectContaining({
      ...{ kind: 'file', row: 'ledger segment 1' },
      detail: `Its file ETH-alice-explorer-90.jsonl ${what}.`,
    }),
  ]
  expect((await verified()).problems).toEqual(problemOf('is not in the folder of histories'))
  await writeFile(file, 'another one\n')
  expect((await verified()).problems).toEqual(problemOf('is another one than the log states'))
  await rename(`${file}.away`, file)
  expect((await verified()).problems).toEqual([])
})

test('whoever does not know the folder is told that nothing was compared', async () => {
  Reflect.deleteProperty(decided.environment, 'CUPEL_HISTORY_FOLDER')
  const { problems, warnings } = await verified()
  expect(problems).toEqual([])
  expect(warnings).toEqual([expect.stringContaining('were not compared (1): CUPEL_HISTORY_FOLDER')])
})
