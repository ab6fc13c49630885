/** `cupel log accept-shorter`: lets an operator accept a log that lost its end. */
import { acceptShorter } from '../../transparency/index.js'
import { topicSpecs } from '@cupel/contracts'
import { placesOf } from '@cupel/event-log'
import type { Command } from 'commander'
import { answer, type JsonOption, type CliContext, CommandError, EXIT_NOT_FOUND } from '@cupel/command-line'
import {
  requiredReason,
  installationEvidence,
  refusedEvidence,
  withConnections,
  operator,
} from '@cupel/command-line/installation'

export function registerAcceptShorter(log: Command, context: CliContext): void {
  log
    .command('accept-shorter')
    .summary('take a log that lost its last records')
    .description(
      `Compares the log with its leaves in the transparency log. Where records at the end of partitions are missing, or were replaced
after an older log or database was restored, signs that with your name and reason, and records it (cupel audit export).
Readers whose position is behind the end go on there; read models keep the rows of lost records until a replay. Records that
were changed before later ones that agree are not a missing end: they are refused. Stop the services first.`,
    )
    .requiredOption('--reason <text>', 'why the loss is right, for the audit log')
    .option('--json', 'answer in JSON')
    .action(async (options: JsonOption & { reason: string }) => {
      const reason = requiredReason(options.reason)
      const accepted = await withConnections(context, async ({ log: eventLog, codec, database, config }) => {
        const settings = installationEvidence(context, config)
        if (settings === null)
          throw new CommandError(
            'This installation has no signing keys, and so no checkpoints.',
            EXIT_NOT_FOUND,
          )
        const places = await placesOf(eventLog, topicSpecs)
        return await acceptShorter({
          ...{ ...settings, log: eventLog, codec, database, places, by: operator(), reason },
        }).catch(refusedEvidence)
      })
      answer(context, options, { accepted_by: accepted.acceptedBy, reason, lost: accepted.lost }, () =>
        [
          ...accepted.lost.map(
            ({ topic, partition, from, to }) =>
              `${topic}/${partition}: records ${from} to ${to - 1} are accepted as lost.`,
          ),
          ...(accepted.lost.length === 0
            ? ['No record is lost; the database follows its published leaves again.']
            : []),
          'Now start the services, and compare everything: cupel audit verify',
        ].join('\n'),
      )
    })
}
