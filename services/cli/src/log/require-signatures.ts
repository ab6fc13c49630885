/** `cupel log require-signatures`: decides whether a report without a signature counts when the log is verified. */
import { readReportSigningKeys, requireSignatures, stopRequiringSignatures } from '@cupel/checkpoints'
import { requestedEventId, topicOf, type DomainEvent } from '@cupel/contracts'
import type { Queryable } from '@cupel/postgres'
import { writeOutbox } from '@cupel/projections'
import type { Command } from 'commander'
import { answer, type JsonOption } from '../answer.js'
import { withConnections } from '../connections.js'
import type { CliContext } from '../context.js'
import { CommandError, EXIT_CONFIG, EXIT_FAILED } from '../explain.js'
import { recentUnsignedReport } from '../install/evidence.js'
import { operator } from '../operator.js'
import { requiredReason } from '../required-reason.js'

interface RequireSignaturesOptions extends JsonOption {
  readonly reason: string
  readonly undo?: boolean
}

export function registerRequireSignatures(log: Command, context: CliContext): void {
  log
    .command('require-signatures')
    .summary('name reports that the scorers did not sign')
    .description(
      `From now on \`cupel audit verify\` names a report without a signature, and no scorer begins without its key. Reports from before
stay as they are. The command refuses if a report of the last minutes has none. \`cupel start\` and \`cupel install\` do this
by themselves. --undo accepts reports without a signature from now on, before a rollback to a release that signs none; what was
required of earlier reports stays required. Who did it and why is recorded (cupel audit export).`,
    )
    .requiredOption('--reason <text>', 'why, for the audit log')
    .option('--undo', 'accept reports without a signature from now on')
    .option('--json', 'answer in JSON')
    .action(async (options: RequireSignaturesOptions) => {
      const reason = requiredReason(options.reason)
      const required = options.undo !== true
      const changed = await withConnections(context, async ({ database, log: eventLog, config }) => {
        const record = (transaction: Queryable): Promise<void> =>
          recordChange(transaction, { required, reason })
        if (!required) return await stopRequiringSignatures(database, eventLog, record)
        if (readReportSigningKeys(config) === null)
          throw new CommandError(
            'Set CUPEL_REPORT_SIGNING_KEYS_FILE: without keys of reports nothing is signed.',
            EXIT_CONFIG,
          )
        const unsigned = await recentUnsignedReport(eventLog)
        if (unsigned !== null)
          throw new CommandError(
            `Nothing was changed: ${unsigned} has no signature. Give the key to every scorer, restart them, and try again ten minutes later.`,
            EXIT_FAILED,
          )
        return await requireSignatures(database, eventLog, record)
      })
      answer(context, options, { signatures_required: required, changed }, () => sentence(required, changed))
    })
}

function sentence(isRequired: boolean, hasChanged: boolean): string {
  if (!hasChanged) return isRequired ? 'Signatures were required already.' : 'No signatures were required.'
  return isRequired
    ? 'Every report must carry a signature from now on.'
    : 'Reports without a signature are accepted from now on.'
}

async function recordChange(
  transaction: Queryable,
  { required, reason }: { readonly required: boolean; readonly reason: string },
): Promise<void> {
  const [id, changedAt] = [requestedEventId(), new Date().toISOString()]
  const event: DomainEvent<'ReportSignaturesChanged'> = {
    type: 'ReportSignaturesChanged',
    data: { required, changedAt, changedBy: operator(), reason },
    envelope: {
      ...{ id, source: 'cupel/cli', time: changedAt, subject: 'report-signatures' },
      ...{ correlationId: id, causationId: id },
    },
  }
  await writeOutbox(transaction, event, {
    topic: topicOf('ReportSignaturesChanged'),
    key: 'report-signatures',
  })
}
