/** `cupel ledger import`: imports a file of transfers. */
import type { HistoryKind } from '@cupel/domain'
import { historyKinds, importLedger, ledgerFormatNames, type LedgerImportSummary } from '../../index.js'
import { InvalidArgumentError, Option, type Command } from 'commander'
import { answer, snakeCase, type JsonOption, type CliContext } from '@cupel/command-line'
import { operator } from '@cupel/command-line/installation'
import { height, readableFile, readableReason } from './arguments.js'
import { importedForScorers } from './imported-for-scorers.js'

interface ImportOptions extends JsonOption {
  readonly format: string
  readonly chain: string
  readonly completeFrom?: number
  readonly completeTo?: number
  readonly covers?: readonly HistoryKind[]
  readonly replace?: boolean
  readonly acceptEmpty?: boolean
  readonly reason: string
}

const PROGRESS_INTERVAL_MS = 2_000

const HELP = `
Formats:
  csv            one transfer per row: chain, block_number, block_time, tx_hash, log_index, kind, asset, asset_address,
                 from_address, to_address, amount_raw, amount, amount_usd, source; status (1, 0) and transaction_index
                 if known
  ethereum-etl   transactions, token_transfers, traces; receipts after them prove what the transactions did
  bitcoin-etl    transactions with the values of their inputs
  cryo           transactions, erc20_transfers, traces
  blocks         number and timestamp of blocks: they give times to transfers that have none

Importing the same file again changes nothing; an interrupted import continues where it stopped. All transfers become
visible at once. Without --complete-from and --complete-to the history counts as incomplete: it gives no shares and makes no
address green. It is whole only if the ranges reach from the beginning of the chain to within a day of now, on EVM chains for
each of the kinds native, internal (traces) and token. The csv layout holds any kind, so there --covers says which.`

export function registerImport(ledger: Command, context: CliContext): void {
  ledger
    .command('import')
    .summary('import a file of transfers')
    .description(
      'Import a file of transfers, Parquet, CSV or JSON lines. Works while the service runs; nothing is visible before the end.',
    )
    .argument('<file>', 'path of the file')
    .addOption(
      new Option('--format <format>', 'format of the file')
        .choices([...ledgerFormatNames])
        .makeOptionMandatory(),
    )
    .requiredOption('--chain <code>', 'chain of the transfers')
    .option('--complete-from <height>', 'first height of the range that the file contains completely', height)
    .option('--complete-to <height>', 'last height of the range', height)
    .option('--covers <kinds>', 'kinds that the range holds completely: native, internal, token', kinds)
    .option(
      '--replace',
      'retire transfers of the range that the file does not contain, because blocks were reorganised',
    )
    .option('--accept-empty', 'a range of more than 1,000 heights has no row at all; needs --reason')
    .option('--reason <text>', 'why, for the audit log', '')
    .option('--json', 'answer in JSON')
    .addHelpText('after', HELP)
    .action(async (file: string, options: ImportOptions) => {
      const path = readableFile(context.path(file))
      const reason = readableReason(options.reason)
      const { format, chain, completeFrom, completeTo, covers, replace, acceptEmpty } = options
      const declared = { completeFrom, completeTo, covers, replace, acceptEmpty }
      const result = await importedForScorers(context, options, async (database) =>
        importLedger(
          { file: path, format, chain, ...declared, importedBy: operator(), reason },
          { database, ...(options.json === true ? {} : { onProgress: progressTo(context) }) },
        ),
      )
      answer(context, options, { ...snakeCase(result), left_out: result.leftOut }, () => textOf(result))
    })
}

function progressTo(context: CliContext): (rows: number, rowsPerSecond: number) => void {
  let toldAt = performance.now()
  return (rows, rowsPerSecond) => {
    const now = performance.now()
    if (now - toldAt < PROGRESS_INTERVAL_MS) return
    toldAt = now
    context.note(`${number(rows)} rows (${number(rowsPerSecond)}/s) …`)
  }
}

function textOf(summary: LedgerImportSummary): string {
  const { status, rows, added, known, timed, retired, leftOut, unreadable } = summary
  const { resumedAt, firstHeight, lastHeight } = summary
  if (status === 'already-imported')
    return `This file is in the ledger already: segment ${summary.segmentId}, ${number(added)} transfers. Nothing was changed.`
  const lines = [
    `Imported ${number(added)} transfers of ${summary.chain} from ${number(rows)} rows in ` +
      `${(summary.durationMs / 1_000).toFixed(1)} s (${number(summary.rowsPerSecond)} rows/s): state ${summary.ledgerSeq} of the ledger.`,
  ]
  if (resumedAt > 0) lines.push(`An interrupted import had stored ${number(resumedAt)} rows before.`)
  if (known > 0) lines.push(`${number(known)} transfers were in the ledger already.`)
  if (timed > 0) lines.push(`${number(timed)} transfers got the time of their block.`)
  if (retired > 0) lines.push(`${number(retired)} transfers of the range were retired.`)
  if (firstHeight !== null) lines.push(`Heights ${firstHeight} to ${lastHeight}.`)
  lines.push(...summary.notes)
  if (unreadable.length > 0)
    lines.push(
      `Rows without a certain meaning (refused: ${number(leftOut['unreadable'] ?? 0)}). The ranges that they lie in are not complete:`,
      ...unreadable.map(({ line, message }) => `  line ${line}: ${message}`),
    )
  const left = Object.entries(leftOut)
  if (left.length > 0)
    lines.push(
      'Rows that are not counted transfers:',
      ...left.map(([reason, count]) => `  ${reason.replaceAll('_', ' ')}: ${number(count)}`),
    )
  return lines.join('\n')
}

const number = (value: number): string => value.toLocaleString('en-US')

function kinds(text: string): readonly HistoryKind[] {
  const named = text.split(',').map((one) => one.trim().toLowerCase())
  const known = historyKinds.filter((kind) => named.includes(kind))
  if (known.length !== named.length)
    throw new InvalidArgumentError(`It must be one or more of ${historyKinds.join(',')}.`)
  return known
}
