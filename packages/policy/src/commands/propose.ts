/** `cupel policy propose`: a policy for another person to confirm, through the running API. */
import { changeText, registerProposedChanges, type ChangeInShort } from '@cupel/gate/commands'
import { answer, callService, type CliContext, type JsonOption } from '@cupel/command-line'
import { requiredReason } from '@cupel/command-line/installation'
import type { Command } from 'commander'
import { usableFile } from './policy-file.js'

export function registerPropose(policy: Command, context: CliContext): void {
  policy
    .command('propose <file>')
    .summary('propose a policy')
    .description(
      `Proposes the policy of a file. It decides nothing until somebody confirms it, in the console or with
\`cupel policy confirm\`; where CUPEL_POLICY_SECOND_PERSON is set, another person than its proposer must do it. Calls the
running service with CUPEL_API_KEY, a key of the scope operator.`,
    )
    .requiredOption('--reason <text>', 'why, for whoever confirms it')
    .option('--json', 'answer as the API does')
    .action(async (file: string, options: JsonOption & { readonly reason: string }) => {
      const reason = requiredReason(options.reason)
      const { document } = usableFile(context, file)
      const body = { activate_policy: document, reason }
      const text = await callService(context, { method: 'POST', path: '/v1/proposed-changes', body })
      const made = JSON.parse(text) as ChangeInShort
      answer(context, options, made, () => changeText(made))
    })
  registerProposedChanges(policy, context, { kind: 'activate_policy', scope: 'operator' })
}
