/** `cupel labels dismiss`: a list that never came is not waited for any more. */
import { checkedReason } from '@cupel/access'
import { dismissExpectedSets } from '@cupel/labels'
import type { Command } from 'commander'
import { answer, type JsonOption } from '../answer.js'
import type { CliContext } from '../context.js'
import { CommandError, EXIT_NOT_FOUND, EXIT_USAGE } from '../explain.js'
import { withConnections } from '../connections.js'
import { operator } from '../operator.js'

interface DismissOptions extends JsonOption {
  readonly reason: string
}

export function registerDismiss(labels: Command, context: CliContext): void {
  labels
    .command('dismiss <set>')
    .summary('wait no more for a list that never came')
    .description(
      `Wait no more for a list that was configured to be refreshed and never came (coverage.labels.missing): a set of another
name, or one given up. Take it out of the plan first, else the next start waits for it again. What was published stays.`,
    )
    .requiredOption('--reason <text>', 'why, for the audit log')
    .option('--json', 'answer in JSON')
    .action(async (set: string, options: DismissOptions) => {
      const reason = reasonOf(options)
      const dismissed = await withConnections(context, (connections) =>
        dismissExpectedSets(
          set,
          { dismissedBy: operator(), reason },
          { ...connections, labelView: connections.projectorRuns ? 'elsewhere' : 'here' },
        ),
      )
      if (dismissed.length === 0)
        throw new CommandError(
          `No list ${set} is waited for; cupel labels sources names those that are.`,
          EXIT_NOT_FOUND,
        )
      const items = dismissed.map(({ source, dataset }) => ({ source, dataset }))
      answer(context, options, { items }, () => `${set} is not waited for any more.`)
    })
}

function reasonOf({ reason }: DismissOptions): string {
  try {
    const checked = checkedReason(reason)
    if (checked !== '') return checked
  } catch (cause) {
    throw new CommandError(`${(cause as Error).message}.`, EXIT_USAGE, { cause })
  }
  throw new CommandError('--reason must say why.', EXIT_USAGE)
}
