import { afterAll, beforeAll, expect, test } from 'vitest'
import { CommandError, EXIT_FAILED, EXIT_NOT_FOUND } from '@cupel/command-line'
import { openCommandLine, type CommandLine } from '../command-line.js'

const HEADING =
  'chain,block_number,block_time,tx_hash,log_index,kind,asset,asset_address,from_address,to_address,amount_raw,amount,amount_usd,source'
const ROW = `ETH,7,2026-11-20T00:00:00Z,0x${'aa'.repeat(32)},,native,ETH,,0x1111111111111111111111111111111111111111,0x2222222222222222222222222222222222222222,5,,,test`

let commandLine: CommandLine
let cupel: CommandLine['cupel']
beforeAll(async () => {
  commandLine = await openCommandLine()
  cupel = commandLine.cupel
})
afterAll(() => commandLine.close())

test('a ledger is imported, imported again without a change, and listed with its complete heights', async () => {
  expect((await cupel('ledger', 'segments')).out).toBe('No ledger was imported yet.')
  const rows = [HEADING, ROW, ROW.replace(',5,', ',0,').replace('0xaa', '0xbb'), '']
  const file = await commandLine.file('transfers.csv', rows.join('\n'))
  const options = [
    '--format',
    'csv',
    '--chain',
    'eth',
    '--complete-from',
    '0',
    '--complete-to',
    '9',
    '--covers',
    'native',
  ]
  const imported = await cupel('ledger', 'import', file, ...options, '--json')
  expect(imported.error).toBeNull()
  expect(JSON.parse(imported.out)).toMatchObject({
    status: 'imported',
    chain: 'ETH',
    rows: 2,
    added: 1,
    left_out: { zero_value: 1 },
    ledger_seq: 1,
  })
  expect((await cupel('ledger', 'import', file, ...options)).out).toContain('in the ledger already')
  const { out } = await cupel('ledger', 'segments')
  expect(out).toMatch(/1 +ETH +csv +transfers\.csv +1 +0 +7–7 +native +0–9/)
  expect(out).toMatch(/ETH +native +0 +9 +2026-11-20T00:00:00\.000Z/)
})

test('a row that is kept without its sender is told with its line, and not as refused', async () => {
  const sender = '0x1111111111111111111111111111111111111111'
  const rows = [HEADING, ROW.replace('0xaa', '0xcc'), ROW.replace('0xaa', '0xdd').replace(sender, ''), '']
  const file = await commandLine.file('no-sender.csv', rows.join('\n'))
  const { out } = await cupel('ledger', 'import', file, '--format', 'csv', '--chain', 'ETH')
  expect(out).toContain(
    'Rows without a certain meaning (refused: 0). The ranges that they lie in are not complete:\n  line 3: the row states no sender',
  )
})

test('a file of another format is refused with the line, and a missing file is not found', async () => {
  const file = await commandLine.file('broken.csv', `${HEADING}\n${ROW.slice(0, 60)}\n`)
  const refused = await cupel('ledger', 'import', file, '--format', 'csv', '--chain', 'ETH')
  expect(refused.error).toMatchObject({
    exitCode: EXIT_FAILED,
    message: expect.stringContaining('line 2') as string,
  })
  const missing = await cupel(
    'ledger',
    'import',
    `${commandLine.folder}/none.csv`,
    '--format',
    'csv',
    '--chain',
    'ETH',
  )
  expect(missing.error).toBeInstanceOf(CommandError)
  expect(missing.error).toMatchObject({ exitCode: EXIT_NOT_FOUND })
})
