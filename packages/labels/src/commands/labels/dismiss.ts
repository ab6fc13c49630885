/** `cupel labels dismiss`: stops expecting a list that never came. */
import { checkedReason } from '@cupel/gate/access'
import { dismissExpectedSets } from '../../index.js'
import type { Command } from 'commander'
import {
  answer,
  type JsonOption,
  type CliContext,
  CommandError,
  EXIT_NOT_FOUND,
  EXIT_USAGE,
} from '@cupel/command-line'
import { withConnections, operator } from '@cupel/command-line/installation'

interface DismissOptions extends JsonOption {
  readonly reason: string
}

export function registerDismiss(labels: Command, context: CliContext): void {
  labels
    .command('dismiss <set>')
    .summary('stop expecting a list that never came')
    .description(
      `Stop expecting a list that the refresh plan named and that never came (coverage.labels.missing), for example because its name was
wrong. Remove it from the plan first; otherwise the next start expects it again. Published sets stay.`,
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
          `No list ${set} is expected; cupel labels sources shows the expected lists.`,
          EXIT_NOT_FOUND,
        )
      const items = dismissed.map(({ source, dataset }) => ({ source, dataset }))
      answer(context, options, { items }, () => `${set} is no longer expected.`)
    })
}

function reasonOf({ reason }: DismissOptions): string {
  try {
    const checked = checkedReason(reason)
    if (checked !== '') return checked
  } catch (cause) {
    throw new CommandError(`${(cause as Error).message}.`, EXIT_USAGE, { cause })
  }
  throw new CommandError('--reason must not be empty.', EXIT_USAGE)
}
