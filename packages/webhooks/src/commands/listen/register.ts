/** `cupel listen`: webhooks on the machine of a developer, without an address that the service can reach. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Option, type Command } from 'commander'
import { payloadKinds, type PayloadKind } from '@cupel/domain'
import { type CliContext, CommandError, EXIT_USAGE, callService } from '@cupel/command-line'

const LOOK_INTERVAL_MS = 1_000

export function registerListen(program: Command, context: CliContext): void {
  program
    .command('listen')
    .summary('forward the webhooks of ended jobs to a local program')
    .description(
      `Asks the running API every second for jobs that ended, and sends each to the URL as a webhook endpoint would get it, signed
with a secret that is printed at the start. It runs until Ctrl-C, forwards each job once, and retries nothing. It forwards bulk.completed
and bulk.cancelled; changed reports of watches reach registered endpoints only.`,
    )
    .requiredOption('--forward-to <url>', 'http or https URL of the program')
    .addOption(
      new Option('--payload <kind>', 'with the results, thin, or slack')
        .choices(payloadKinds.filter((kind) => kind !== 'email'))
        .default('full'),
    )
    .action(async ({ forwardTo, payload }: { forwardTo: string; payload: PayloadKind }) => {
      if (!URL.canParse(forwardTo) || !/^https?:$/.test(new URL(forwardTo).protocol))
        throw new CommandError('--forward-to takes an http or https URL.', EXIT_USAGE)
      const { createForwarding, newWebhookSecret } = await import('./forward.js')
      const secret = newWebhookSecret()
      const get = async (path: string): Promise<unknown> =>
        JSON.parse(await callService(context, { method: 'GET', path }))
      const look = createForwarding({ get, forwardTo, secret, payload, note: context.note })
      await look()
      context.print(`Forwarding ended jobs to ${forwardTo}. The secret of this run: ${secret}`)
      for (;;) {
        await sleep(LOOK_INTERVAL_MS)
        // The service may start anew meanwhile.
        await look().catch((error: unknown) =>
          context.note(error instanceof Error ? error.message : String(error)),
        )
      }
    })
}
