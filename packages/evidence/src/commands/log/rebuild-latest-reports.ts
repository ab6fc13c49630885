/** `cupel log rebuild-latest-reports`: makes the topic of the latest reports again from the log. */
import { derivedTopicGroups } from '@cupel/contracts'
import { forgetCheckpoints } from '@cupel/projections'
import type { Command } from 'commander'
import { answer, type JsonOption, type CliContext } from '@cupel/command-line'
import { withConnections } from '@cupel/command-line/installation'

export function registerRebuildLatestReports(log: Command, context: CliContext): void {
  log
    .command('rebuild-latest-reports')
    .summary('make the topic of the latest reports again')
    .description(
      `Lets the projectors read every report again and append each that is the latest of its address, as after the topic was lost. Records
that the topic has are repeated with the same bytes, and no record becomes older. Restart the projectors afterwards; they keep the
topic only with CUPEL_LATEST_REPORTS=true.`,
    )
    .option('--json', 'answer in JSON')
    .action(async (options: JsonOption) => {
      const { hadBegun, isKept } = await withConnections(context, async ({ database, config }) => ({
        hadBegun: await forgetCheckpoints(database, derivedTopicGroups),
        isKept: config.CUPEL_LATEST_REPORTS,
      }))
      answer(context, options, { had_begun: hadBegun, is_kept: isKept }, () => textOf(hadBegun, isKept))
    })
}

function textOf(hadBegun: boolean, isKept: boolean): string {
  const state = hadBegun
    ? 'The topic of the latest reports is made again from the beginning of the log.'
    : 'Nothing was read for the topic of the latest reports yet.'
  return isKept
    ? `${state} Restart the projectors.`
    : `${state} These settings do not keep it: set CUPEL_LATEST_REPORTS=true.`
}
