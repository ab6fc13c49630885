/** `cupel retention`: which months of reports an archive keeps as well as the installation does, and taking them from the database. */
import type { Command } from 'commander'
import {
  answer,
  snakeCase,
  table,
  type JsonOption,
  type CliContext,
  CommandError,
  EXIT_FAILED,
  EXIT_USAGE,
  wholeNumber,
} from '@cupel/command-line'
import type { Applied, CutOff } from './apply.js'
import type { Plan } from './examine.js'
import type { Ran } from './run.js'
import { monthBefore, parseMonth, type Month } from './plan.js'

interface PlanCommand extends JsonOption {
  readonly keepMonths: number
}

interface ApplyCommand extends JsonOption {
  readonly before: string
  readonly dryRun?: boolean
  readonly accept?: number
  readonly reason?: string
  readonly log?: boolean
}

interface RunCommand extends JsonOption {
  readonly keepMonths: number
  readonly reason?: string
  readonly log?: boolean
}

interface EndCommand extends JsonOption {
  readonly keepMonths?: number
}

const KEPT_MONTHS = 12
const PLACE = 'the archive: a folder, or s3://bucket/prefix'

export function registerRetention(program: Command, context: CliContext): void {
  const retention = program
    .command('retention')
    .summary('hand the reports of old months to an archive')
    .description(
      'Says which months of reports an archive keeps as well as the installation does, and takes their documents from the database.',
    )
  retention
    .command('plan')
    .summary('compare the reports of earlier months with an archive')
    .argument('<place>', PLACE)
    .option('--keep-months <count>', 'whole months that are not looked at', wholeNumber, KEPT_MONTHS)
    .description(
      `Compares every report of the months before the kept ones with the archive, byte for byte, and every record of the archive with its leaf, up to the
signed tree head that the archive names. Tells per month how many reports there are, what their documents take in Postgres and their records in the log,
how many the archive gives with the same bytes, and what may leave or why not. Exits with ${EXIT_FAILED} if the archive is damaged or a report differs.
It reads the archive and the rows once, and changes nothing.`,
    )
    .option('--json', 'answer in JSON')
    .action(async (folder: string, options: PlanCommand) => {
      const { planRetention } = await import('./apply.js')
      const before = monthBefore(new Date(), options.keepMonths)
      const plan = await planRetention(context, { folder, before, json: options.json })
      tell(context, options, plan, textOf(plan))
    })
  retention
    .command('apply')
    .summary('take the documents of months that an archive keeps from the database')
    .argument('<place>', PLACE)
    .requiredOption('--before <month>', 'the first month that is not touched, such as 2026-01')
    .option('--dry-run', 'compare, and change nothing; also without --accept')
    .option('--accept <count>', 'take so many documents: exactly the number of the dry run', wholeNumber)
    .option('--reason <text>', 'why they leave, for the audit log')
    .option(
      '--log',
      'cut the records of the months from the log, once their documents are gone from the database',
    )
    .description(
      `Does what \`plan\` does. With --accept it then takes the documents of the months that may leave from their rows, and writes an event for each month.
The rows stay, and every report is read as before, with the same bytes, from its record in the log. A run that was cut off at any moment leaves nothing
half: each document is in its row or in its record only. The next run goes on. Where the archive is refused, nothing leaves.
With --log the records leave the topics of reports instead, if everybody has read them; CUPEL_RETENTION_ARCHIVE must name the archive, for every service.`,
    )
    .option('--json', 'answer in JSON')
    .action(async (folder: string, options: ApplyCommand) => {
      const { applyRetention, applyToLog } = await import('./apply.js')
      const { json, dryRun = false, accept, reason } = options
      const before = pastMonth(options.before, new Date())
      const asked = { folder, before, json, accept: dryRun ? undefined : accept, reason }
      if (options.log === true) {
        const cut = await applyToLog(context, asked)
        return tell(context, options, cut, [textOf(cut), cutText(cut)].join('\n'))
      }
      const applied = await applyRetention(context, asked)
      tell(context, options, applied, [textOf(applied), appliedText(applied)].join('\n'))
    })
  registerRuns(retention, context)
}

function registerRuns(retention: Command, context: CliContext): void {
  retention
    .command('run')
    .summary('do what `apply` does for all months that are due, without a dry run: for a timer')
    .argument('<place>', PLACE)
    .requiredOption('--keep-months <count>', 'whole months whose reports stay', wholeNumber)
    .option('--reason <text>', 'why, for the audit log')
    .option('--log', 'cut the records of these months from the log too')
    .description(
      `Takes the documents of every month before the kept ones, and with --log cuts their records from the log, under all the conditions of \`apply\`. A
timer runs it each day, at a quiet hour. A run that meets another one changes nothing. Exits with ${EXIT_FAILED} if a month that is due stays. From the
first run on, \`cupel status\` is red if a run is refused or none ended for 48 hours.`,
    )
    .option('--json', 'answer in JSON')
    .action(async (folder: string, { log = false, ...options }: RunCommand) => {
      const { runRetention } = await import('./run.js')
      const ran = await runRetention(context, { ...options, folder, log })
      answer(context, options, snakeCase(ran), () => ranText(ran))
    })
  retention
    .command('end')
    .summary('say that no timer runs the retention any more')
    .argument('<place>', PLACE)
    .option('--keep-months <count>', 'only the runs with this count; every run if absent', wholeNumber)
    .description(
      'Months that left stay where they are. `cupel status` and `cupel doctor` then expect no further run.',
    )
    .option('--json', 'answer in JSON')
    .action(async (folder: string, options: EndCommand) => {
      const { endRuns } = await import('./run.js')
      const place = await endRuns(context, folder, options.keepMonths ?? null)
      answer(context, options, { folder: place }, () => `No further run to ${place} is expected.`)
    })
}

/** Throws a CommandError for a text that is not a month, and for a month that has not begun: reports are still made in this one. */
function pastMonth(text: string, now: Date): Month {
  const month = parseMonth(text)
  if (month !== null && month <= monthBefore(now, 0)) return month
  throw new CommandError(
    `--before needs a month that has begun, such as ${monthBefore(now, 12)}.`,
    EXIT_USAGE,
  )
}

function tell(context: CliContext, options: JsonOption, plan: Plan | Applied | CutOff, text: string): void {
  const months = plan.months.map(snakeCase)
  answer(context, options, { ...snakeCase(plan), months }, () => text)
  if (plan.refusals.length > 0) process.exitCode = EXIT_FAILED
}

const count = (value: number): string => value.toLocaleString('en-US')
const mebibytes = (bytes: number): string => `${count(Math.ceil(bytes / 1_048_576))} MiB`

function textOf({ before, months, refusals }: Plan): string {
  if (months.length === 0) return `There are no reports of months before ${before}.`
  const rows = months.map(({ month, reports, documents, documentBytes, recordBytes, archived, kept }) => [
    ...[month, count(reports), count(documents), mebibytes(documentBytes), mebibytes(recordBytes)],
    ...[count(archived), kept ?? (documents > 0 ? 'the documents' : 'nothing more')],
  ])
  return [
    table([['MONTH', 'REPORTS', 'DOCUMENTS HERE', 'OF', 'IN THE LOG', 'ARCHIVED', 'MAY LEAVE'], ...rows]),
    ...refusals,
  ].join('\n')
}

function appliedText({ documents, taken, refusals }: Applied): string {
  if (refusals.length > 0) return 'Nothing was changed: the archive is refused.'
  if (taken !== null)
    return `${count(taken)} documents were taken from the database. Their reports are read from the log.`
  if (documents === 0) return 'Nothing may leave.'
  return `A dry run: ${count(documents)} documents may leave the database. Take them with --accept ${documents} --reason TEXT.`
}

function cutText({ cuts, records, isCut, refusals }: CutOff): string {
  if (refusals.length > 0) return 'Nothing was changed: see above.'
  if (records === 0) return 'The log has nothing that may leave.'
  const places = cuts.map(({ topic, partition, before }) => `${topic}/${partition} before offset ${before}`)
  if (isCut) return `${count(records)} records were cut from the log: ${places.join(', ')}.`
  return `A dry run: ${count(records)} records may leave the log, ${places.join(', ')}. Cut them with --accept ${records} --reason TEXT.`
}

const ranText = ({ before, taken, records }: Ran): string =>
  `${count(taken)} documents and ${count(records)} records of months before ${before} left.`
