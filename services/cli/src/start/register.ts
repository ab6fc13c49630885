import type { Command } from 'commander'
import { type CliContext, withHistoryFolder } from '@cupel/command-line'
import { withPublicChainData } from './public-chain-data.js'
import type { StartOptions } from './start-options.js'

export function registerStart(program: Command, context: CliContext): void {
  program
    .command('start')
    .summary('start everything on this machine and keep it running until Ctrl-C')
    .description(
      `Starts everything on this machine and keeps it running until Ctrl-C.

Without options: one process on an embedded Postgres, nothing else needed.
With --kafka: Apache Kafka and a schema registry too (Java 17). The API, the scorers and the console have a process each; the services that
mostly rest share one.`,
    )
    .option('--kafka', 'run on Apache Kafka')
    .option('--brokers <number>', 'Kafka brokers with --kafka: 1 or 3; the home remembers the number')
    .option('--scale <list>', 'processes per service with --kafka, for example api=2,scorer=2')
    .option('--processes', 'one process for each service with --kafka, as in production')
    .option(
      '--public-chain-data',
      'query public endpoints for balances and transaction counts; they are printed, because they learn what you screen',
    )
    .option('--json', 'print one line of JSON on standard output once everything is ready')
    .action(async (options: StartOptions) => {
      const { start } = await import('./start.js')
      await start(
        options,
        withHistoryFolder(options.publicChainData === true ? await withPublicChainData(context) : context),
      )
    })
}
