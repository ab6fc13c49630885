/** `cupel log adopt`: another cluster, or an archive that was put back, takes the place of the log. */
import { adoptLog } from '../../transparency/index.js'
import { topicSpecs } from '@cupel/contracts'
import { placesOf } from '@cupel/event-log'
import type { Command } from 'commander'
import {
  answer,
  snakeCase,
  type JsonOption,
  type CliContext,
  CommandError,
  EXIT_FAILED,
  EXIT_NOT_FOUND,
} from '@cupel/command-line'
import {
  requiredReason,
  installationEvidence,
  refusedEvidence,
  withConnections,
  operator,
  stillRunning,
} from '@cupel/command-line/installation'

interface AdoptOptions extends JsonOption {
  readonly reason?: string
  readonly dryRun?: boolean
}

export function registerAdopt(log: Command, context: CliContext): void {
  log
    .command('adopt')
    .summary('replace the log by a copy of it')
    .description(
      `After the records were copied to another cluster, or put back from an archive, with the same offsets: compares every record
that was signed with its leaf of the log before. Where all are the same and the copy ends where the readers stand or
later, the readers go on with the copy, and new leaves begin with its first record. Point the settings to the copy and stop the services first. Who did it and why is recorded (cupel audit export).
docs/runbooks/move-to-another-cluster.md goes through it.`,
    )
    .option('--reason <text>', 'why, for the audit log')
    .option('--dry-run', 'compare, and change nothing')
    .option('--json', 'answer in JSON')
    .action(async (options: AdoptOptions) => {
      const dryRun = options.dryRun === true
      const reason = dryRun ? (options.reason ?? '') : requiredReason(options.reason)
      const adopted = await withConnections(
        context,
        async ({ run, log: eventLog, codec, database, config }) => {
          if (run !== null) throw new CommandError('Stop the installation first: it is running.', EXIT_FAILED)
          const running = await stillRunning(database)
          if (running !== null) throw new CommandError(running, EXIT_FAILED)
          const settings = installationEvidence(context, config)
          if (settings === null)
            throw new CommandError(
              'This installation has no signing keys, and so no checkpoints: nothing can show that the records are the same.',
              EXIT_NOT_FOUND,
            )
          return await adoptLog({
            ...{ log: eventLog.unchecked, codec, database, by: operator(), reason, dryRun },
            ...{ verifier: settings.keys.verifier, stores: settings.stores },
            places: await placesOf(eventLog, topicSpecs),
          }).catch(refusedEvidence)
        },
      )
      const { leaves, partitions, unsigned, replaces } = adopted
      answer(context, options, { dry_run: dryRun, ...snakeCase(adopted) }, () =>
        [
          `The records of ${partitions} partitions are those of the ${leaves} leaves that were signed.`,
          ...(unsigned === 0
            ? []
            : [
                `${unsigned} later records have no signature yet: their MACs are checked when they are read.`,
              ]),
          dryRun
            ? 'Nothing was changed: this was a dry run.'
            : `The log ${adopted.log} is in the place of ${replaces}. Now run \`cupel upgrade\` and start the services.`,
        ].join('\n'),
      )
    })
}
