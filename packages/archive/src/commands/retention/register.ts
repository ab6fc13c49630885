/** `cupel retention`: which months of reports an archive keeps as well as the database does. */
import type { Command } from 'commander'
import {
  answer,
  snakeCase,
  table,
  type JsonOption,
  type CliContext,
  EXIT_FAILED,
  wholeNumber,
} from '@cupel/command-line'
import type { Plan } from './plan.js'

interface PlanCommand extends JsonOption {
  readonly keepMonths: number
}

const KEPT_MONTHS = 12

export function registerRetention(program: Command, context: CliContext): void {
  const retention = program
    .command('retention')
    .summary('say which months of reports an archive keeps as well as the database')
    .description('Says what an installation of several years could hand to its archive. Nothing is deleted.')
  retention
    .command('plan')
    .summary('compare the reports of earlier months with an archive')
    .argument('<place>', 'the archive: a folder, or s3://bucket/prefix')
    .option('--keep-months <count>', 'whole months that are not looked at', wholeNumber, KEPT_MONTHS)
    .description(
      `Compares every report of the months before the kept ones with the archive, byte for byte, and tells per month how many reports there are, what their
documents take in Postgres, and how many the archive gives with the same bytes. Exits with ${EXIT_FAILED} if the archive is damaged or a report differs.
It reads the archive and the rows once, and changes nothing.`,
    )
    .option('--json', 'answer in JSON')
    .action(async (place: string, options: PlanCommand) => {
      const { planRetention } = await import('./plan.js')
      const plan = await planRetention(context, place, { ...options, now: new Date() })
      const months = plan.months.map(snakeCase)
      answer(context, options, { ...plan, months }, () => textOf(plan))
      if (plan.refusals.length > 0) process.exitCode = EXIT_FAILED
    })
}

function textOf({ before, months, refusals }: Plan): string {
  if (months.length === 0) return `There are no reports of months before ${before}.`
  const count = (value: number): string => value.toLocaleString('en-US')
  const rows = months.map(({ month, reports, bytes, archived, isKept }) => [
    ...[month, count(reports), `${count(Math.ceil(bytes / 1_048_576))} MiB`, count(archived)],
    isKept ? 'as good as here' : 'no',
  ])
  return [
    table([['MONTH', 'REPORTS', 'DOCUMENTS', 'IN THE ARCHIVE', 'KEPT THERE'], ...rows]),
    ...refusals,
  ].join('\n')
}
