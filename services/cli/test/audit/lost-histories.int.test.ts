/** A history of which the kept file is lost, and then its rows too: level C never takes fewer rows for the ledger of a report. */
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { importLedger } from '@cupel/ledger'
import { until } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDecided, type Decided } from '../decided.js'
import { SANCTIONED, UNLISTED } from '../some-labels.js'

const folder = mkdtempSync(join(tmpdir(), 'cupel-histories-'))
const file = join(folder, 'ETH-screened-explorer-90.jsonl')
const own = UNLISTED.address.toLowerCase()

let decided: Decided
let reportId: string
beforeAll(async () => {
  decided = await openDecided({ settings: { CUPEL_HISTORY_FOLDER: folder } })
  await decided.importLabels('sdn', [SANCTIONED.row])
  const paid = (number: number) => ({
    ...{ chain: 'ETH', block_number: String(80 + number), block_time: '1760000000', kind: 'native' },
    ...{ tx_hash: `0x${String(number).repeat(64)}`, from_address: SANCTIONED.address.toLowerCase() },
    ...{ to_address: own, amount_raw: '1000000000000000000', status: '1' },
    ...{ log_index: '', asset_address: '', amount: '', transaction_index: '' },
  })
  await writeFile(file, [1, 2].map((one) => `${JSON.stringify(paid(one))}\n`).join(''))
  const result = await importHistory()
  expect(result.status).toBe('imported')
  await decided.relay()
  await until(async () => {
    const report = await decided.screen(UNLISTED.address, 'ETH')
    expect(report.inputs.exposure).toMatchObject({ status: 'examined', ledgerSeq: 1 })
    reportId = report.reportId
  })
})
afterAll(async () => {
  await decided.close()
  rmSync(folder, { recursive: true, force: true })
})

const importHistory = () =>
  importLedger(
    {
      ...{ file, format: 'csv', chain: 'ETH', importedBy: 'scorer', reason: 'History of one address' },
      ...{ completeFrom: 0, completeTo: 90, covers: ['native', 'internal', 'token'] },
      history: {
        ...{ address: own, provider: 'explorer', height: 90, hash: '', atS: 1_760_000_100 },
        incomplete: [],
      },
    },
    { database: decided.connect({ statementTimeoutMs: 0 }) },
  )

interface Recomputed {
  readonly is_proven: boolean
  readonly ledger_differences?: readonly string[]
  readonly levels: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly findings: readonly {
    readonly report_id: string
    readonly status: string
    readonly reason?: string
  }[]
}

async function recomputed(): Promise<Recomputed & { readonly exitCode: number | undefined }> {
  const { out, exitCode } = await decided.cupel(
    'audit',
    'recompute',
    '--level',
    'C',
    '--report',
    reportId,
    '--json',
  )
  return { ...(JSON.parse(out) as Recomputed), exitCode }
}

const named = async (): Promise<readonly string[]> => {
  const { out } = await decided.cupel('audit', 'verify', '--json')
  const { problems } = JSON.parse(out) as { readonly problems: readonly { kind: string; detail: string }[] }
  return problems.filter(({ kind }) => kind === 'file').map(({ detail }) => detail)
}

test('while the ledger has its rows, the exposure is derived again, and the lost file is named', async () => {
  expect(await recomputed()).toMatchObject({ is_proven: true, exitCode: 0 })
  await rename(file, `${file}.lost`)
  expect(await recomputed()).toMatchObject({ is_proven: true, exitCode: 0 })
  expect(await named()).toEqual([
    'Its file ETH-screened-explorer-90.jsonl is not in the folder of histories.',
  ])
})

test('a ledger that lacks a row of it proves nothing, and says so', async () => {
  await decided.database.execute('DELETE FROM ledger.transfer WHERE block_number = 82')
  const found = await recomputed()
  expect(found).toMatchObject({ is_proven: false, exitCode: 1 })
  expect(found.ledger_differences).toEqual([expect.stringContaining('1 rows fewer')])
})

test('a ledger that was made again without it names the segment, its file and its hash', async () => {
  await decided.database.execute('TRUNCATE ledger.transfer, ledger.segment')
  const found = await recomputed()
  expect(found).toMatchObject({ is_proven: false, exitCode: 1 })
  expect(JSON.stringify(found)).toContain('not_derivable')
  expect(found.ledger_differences).toContainEqual(expect.stringContaining('segment 1'))
})
