/** `cupel labels import`: imports a file as a set, all at once or not at all. */
import { accessSync, constants } from 'node:fs'
import { categories, type Category } from '@cupel/contracts'
import {
  importLabels,
  labelFormats,
  type LabelImportProgress,
  type LabelImportRefused,
  type LabelImportRequest,
  type LabelImportResult,
  type LabelImportSummary,
  type LeftOutRows,
  type SetSummary,
} from '../../index.js'
import { InvalidArgumentError, Option, type Command } from 'commander'
import {
  answer,
  snakeCase,
  table,
  type JsonOption,
  type CliContext,
  CommandError,
  EXIT_FAILED,
  EXIT_NOT_FOUND,
  EXIT_USAGE,
} from '@cupel/command-line'
import { isServed, withConnections, type Connections, operator } from '@cupel/command-line/installation'

interface ImportOptions extends JsonOption {
  readonly format: string
  readonly source?: string
  readonly set?: string
  readonly asOf?: string
  readonly append?: boolean
  readonly whole?: boolean
  readonly replaces?: readonly string[]
  readonly acceptRemovals?: number
  readonly acceptUnreadable?: number
  readonly reason?: string
  readonly dryRun?: boolean
  readonly companion?: string
  readonly category?: Category
  readonly chain?: string
}

/** Refused and skipped rows in the text; --json lists up to a thousand refused ones. */
const SHOWN_ROWS = 20
/** Interval between two lines of progress. */
const PROGRESS_INTERVAL_MS = 1_000

const HELP = `
Formats:
${[...labelFormats.values()].map(({ name, description }) => `  ${name.padEnd(18)} ${description}`).join('\n')}

A set is one dataset of one source (--set, by default the name of the file). Importing a set again replaces it: labels
that the file no longer contains are retired, never deleted. Other sets do not change, unless --replaces names them.
A file that is cut off, miscounted or not decodable is refused as a whole. A bad row is refused with its line, and the
other rows are imported. A row of an authority that cannot be read may designate somebody: the set is incomplete, and
nothing is green, until --accept-unreadable states the exact number of such rows.

All sets of an authority designate together. Only a whole list ends restatements of it, and a whole list that is older
than another version of the same list in force adds history only. An import that ends designations needs --accept-removals with the number
of addresses that lose one, if they are more than 5 and 2 %, or more than 20 %, or any of a list of ten or fewer.

Examples:
  cupel labels import ofac_sdn.csv --format csv
  cupel labels import SDN.XML --format ofac-xml --set sdn
  cupel labels import SDN_ADVANCED.XML --format ofac-advanced-xml --set sdn-advanced --replaces sdn
  cupel labels import ofac.csv --format csv --set sdn --whole --as-of 2026-11-20
  cupel labels import SDN.CSV --format ofac-csv --companion SDN_COMMENTS.CSV --set sdn --as-of 2026-11-20
  cupel labels import tags.json --format explorer-json --source my_tags --category scam --chain ETH
  cupel labels import sdn.csv --format csv --accept-removals 87 --reason "OFAC delisted Tornado Cash"`

export function registerImport(labels: Command, context: CliContext): void {
  labels
    .command('import <file>')
    .summary('import a list of labelled addresses')
    .description('Import a list of labelled addresses. Its labels become visible all at once.')
    .addOption(
      new Option('--format <format>', 'layout of the file')
        .choices([...labelFormats.keys()])
        .makeOptionMandatory(),
    )
    .option('--source <name>', 'source of the list; by default the rows or the format name it')
    .option('--set <name>', 'dataset within the source; by default the name of the file')
    .option('--as-of <date>', 'date of the list, if the file states none (default: its newest observation)')
    .option('--append', 'add to the set, retire nothing')
    .option('--whole', "the file is all of an authority's list, and not a part (the OFAC formats always are)")
    .option('--replaces <sets...>', 'withdraw these sets: SOURCE/DATASET, or DATASET of the same source')
    .option('--accept-removals <count>', 'accept a large removal: exactly the reported number', wholeNumber)
    .option(
      '--accept-unreadable <count>',
      'accept rows that cannot be read: exactly the reported number',
      wholeNumber,
    )
    .option('--reason <text>', 'why what you accept is right; recorded with the operator')
    .option('--companion <file>', 'second file of the format: SDN_COMMENTS.CSV, an ActorPack')
    .addOption(
      new Option('--category <category>', 'category of all rows, for files that state none').choices([
        ...categories,
      ]),
    )
    .option('--chain <code>', 'chain of all rows, for files that state none')
    .option('--dry-run', 'show what would change, and change nothing')
    .option('--json', 'answer in JSON')
    .addHelpText('after', HELP)
    .action(async (file: string, options: ImportOptions) => {
      const request = requestOf(file, options, context)
      const result = await withConnections(
        context,
        (connections) => importLabels(request, depsOf(connections, context, options)),
        { creates: options.dryRun !== true },
      )
      if (result.status === 'refused') return refuse(context, options, result)
      answer(context, options, jsonOf(result), () => textOf(result))
    })
}

function requestOf(file: string, options: ImportOptions, context: CliContext): LabelImportRequest {
  const { companion } = options
  return {
    ...options,
    file: readable(context.path(file)),
    companion: companion === undefined ? undefined : readable(context.path(companion)),
    importedBy: operator(),
  }
}

/** Checked before anything is started for the command. */
function readable(path: string): string {
  try {
    accessSync(path, constants.R_OK)
    return path
  } catch (cause) {
    throw new CommandError(`Cannot read ${path}.`, EXIT_NOT_FOUND, { cause })
  }
}

/** A running service keeps the label view up to date; without one the import runs the view itself. */
function depsOf(
  connections: Connections,
  context: CliContext,
  options: JsonOption,
): Parameters<typeof importLabels>[1] {
  return {
    ...connections,
    labelView: isServed(connections, context) ? 'elsewhere' : 'here',
    ...(options.json === true ? {} : { onProgress: progressTo(context) }),
  }
}

const phases: Readonly<Record<LabelImportProgress['phase'], string>> = {
  reading: 'rows read',
  'waiting-for-lock': 'Waiting for another import of this source …',
  comparing: 'Comparing with the published set …',
  appending: 'events appended',
  publishing: 'Publishing …',
  projecting: 'Waiting until the labels are visible …',
}

function progressTo(context: CliContext): (progress: LabelImportProgress) => void {
  let toldAt = performance.now()
  return ({ phase, rows, rowsPerSecond }) => {
    const isCount = phase === 'reading' || phase === 'appending'
    const now = performance.now()
    if (phase !== 'waiting-for-lock' && now - toldAt < PROGRESS_INTERVAL_MS) return
    toldAt = now
    context.note(isCount ? `${number(rows)} ${phases[phase]} (${number(rowsPerSecond)}/s) …` : phases[phase])
  }
}

function refuse(context: CliContext, options: JsonOption, result: LabelImportRefused): never {
  const isUsage = ['bad-option', 'unknown-format', 'missing-option', 'no-source'].includes(result.refusal)
  if (options.json === true) {
    const { unreadable, refused, skipped, ...rest } = result
    context.print(JSON.stringify({ ...snakeCase(rest), ...leftOutJson({ unreadable, refused, skipped }) }))
  } else for (const line of [...leftOutText(result), ...lostText(result, 'would lose')]) context.note(line)
  throw new CommandError(
    `Nothing was imported. ${result.message.replace(/[.]?$/, '.')}`,
    isUsage ? EXIT_USAGE : EXIT_FAILED,
  )
}

/** Addresses that are no longer designated by any set of their authority; --json lists all of them. */
function lostText({ lost }: Pick<LabelImportResult, 'lost'>, lose: string): string[] {
  return [
    ...lostLines(
      lost.filter(({ isRestatement }) => !isRestatement),
      `${lose} a designation`,
    ),
    ...lostLines(
      lost.filter(({ isRestatement }) => isRestatement),
      'that other sources restated, and that the authority itself does not state',
    ),
  ]
}

function lostLines(lost: LabelImportResult['lost'], what: string): string[] {
  if (lost.length === 0) return []
  const shown = lost.slice(0, SHOWN_ROWS)
  const lines = ['', `${number(lost.length)} ${lost.length === 1 ? 'address' : 'addresses'} ${what}:`]
  for (const { authority, chain, address, entity } of shown)
    lines.push(`  ${chain.padEnd(5)} ${address}  ${authority}: ${entity === '' ? '(no name)' : entity}`)
  if (lost.length > shown.length)
    lines.push(`  … and ${number(lost.length - shown.length)} more (--json lists all)`)
  return lines
}

function jsonOf({ sets, unreadable, refused, skipped, ...summary }: LabelImportSummary): unknown {
  return {
    ...snakeCase(summary),
    ...leftOutJson({ unreadable, refused, skipped }),
    sets: sets.map((set) => snakeCase(set)),
  }
}

type LeftOut = Pick<LabelImportResult, 'unreadable' | 'refused' | 'skipped'>

/** The counts count all rows; the lists of unreadable and refused ones hold the first thousand. The list of skipped entries holds the first twenty. */
function leftOutJson({ unreadable, refused, skipped }: LeftOut): Record<string, unknown> {
  return {
    unreadable_count: unreadable.count,
    unreadable_reasons: unreadable.reasons,
    unreadable: unreadable.rows,
    refused_count: refused.count,
    refused_reasons: refused.reasons,
    refused: refused.rows,
    skipped_count: skipped.count,
    skipped_reasons: skipped.reasons,
    skipped: skipped.rows,
  }
}

function leftOutText({ unreadable, refused, skipped }: LeftOut): string[] {
  return [
    ...rowsText(unreadable, 'unreadable: whom they designate is unknown', Infinity),
    ...rowsText(refused, 'refused'),
    ...rowsText(skipped, 'skipped: they have no address or no known category'),
  ]
}

function rowsText({ count, rows, reasons }: LeftOutRows, what: string, most = SHOWN_ROWS): string[] {
  if (count === 0) return []
  const shown = rows.slice(0, most)
  const lines = ['', `${number(count)} ${count === 1 ? 'row was' : 'rows were'} ${what}:`]
  if (count > shown.length && reasons.length > 0) {
    lines.push(...reasons.map((one) => `  ${number(one.count)} × ${one.reason}`), '')
  }
  lines.push(...shown.map(({ line, reason }) => `  line ${line}: ${reason}`))
  if (count > shown.length) lines.push(`  … and ${number(count - shown.length)} more`)
  return lines
}

function textOf(summary: LabelImportSummary): string {
  const { status, rows, rowsRead, repeated, replaced, warnings, visible, rowsPerSecond, durationMs } = summary
  const lines = [
    `${status === 'dry-run' ? 'Would import' : 'Imported'} ${number(rows)} rows in ` +
      `${(durationMs / 1_000).toFixed(1)} s (${number(rowsPerSecond)}/s): ${number(rowsRead)} read, ` +
      `${number(summary.refused.count)} refused, ${number(summary.skipped.count)} skipped, ` +
      `${number(summary.unreadable.count)} unreadable.`,
    '',
    table([HEADING, ...summary.sets.map(setRow)]),
  ]
  if (replaced > 0) lines.push('', `${number(replaced)} labels of the replaced sets ended.`)
  lines.push(...lostText(summary, status === 'dry-run' ? 'would lose' : 'lost'))
  if (repeated > 0) lines.push('', `${number(repeated)} rows repeat another row of the file.`)
  for (const warning of warnings) lines.push('', `Note: ${warning}.`)
  lines.push(...leftOutText(summary))
  if (status === 'imported' && !visible) {
    lines.push('', 'The labels are published; the label view does not show them yet (cupel status).')
  }
  return lines.join('\n')
}

const HEADING = ['SOURCE', 'DATASET', 'AS OF', 'ADDED', 'CHANGED', 'UNCHANGED', 'RETIRED', 'TOTAL', '']

function setRow(set: SetSummary): string[] {
  const counts = [set.added, set.changed, set.unchanged, set.retired, set.total].map(number)
  return [
    set.source,
    set.dataset,
    set.asOf?.slice(0, 10) ?? '-',
    ...counts,
    set.historical ? 'history only' : set.whole ? 'whole list' : set.authority ? 'part of the list' : '',
  ]
}

const number = (value: number): string => value.toLocaleString('en-US')

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}
