/** `cupel log policy`: what verifiers of others need to check this log. */
import { policyText, readWitnessSettings } from '../../transparency/index.js'
import type { Command } from 'commander'
import { withConnections, installationEvidence } from '@cupel/command-line/installation'
import { type CliContext, CommandError, EXIT_NOT_FOUND } from '@cupel/command-line'

export function registerPolicy(log: Command, context: CliContext): void {
  log
    .command('policy')
    .summary('print the trust policy of the log for verifiers of others')
    .description(
      `Prints a policy of C2SP (tlog-policy): the keys of the log under its name, the witnesses of CUPEL_WITNESSES_FILE and their quorum. With this file
torchwood and other tools check proofs and checkpoints. Give it to auditors yourself; projectors also publish it as the file tlog-policy.`,
    )
    .action(async () => {
      const text = await withConnections(context, async ({ log: eventLog, config }) => {
        const settings = installationEvidence(context, config)
        if (settings === null)
          throw new CommandError('This installation has no signing keys.', EXIT_NOT_FOUND)
        const file = config.CUPEL_WITNESSES_FILE
        const witnesses = file === undefined ? undefined : readWitnessSettings(file).policy
        return policyText({ publicKeys: settings.keys.publicKeys, log: await eventLog.identity(), witnesses })
      })
      context.print(text.trimEnd())
    })
}
