/** `cupel restore`: makes an installation ready to start from a database and a log, one of which came from a backup. */
import type { Command } from 'commander'
import { answer, type JsonOption, type CliContext, CommandError, EXIT_FAILED } from '@cupel/command-line'
import { requiredReason, installationEvidence, operator } from '@cupel/command-line/installation'
import type { Restored } from './restore.js'

interface RestoreCommandOptions extends JsonOption {
  readonly reason?: string
  readonly dryRun?: boolean
  readonly acceptLost?: boolean
  readonly acceptMissingLedger?: boolean
  readonly olderDatabase?: boolean
}

export function registerRestore(program: Command, context: CliContext): void {
  program
    .command('restore')
    .summary('bring database and log together after one came from a backup')
    .description(
      `Run it after you restored Postgres, the log or both, or promoted a replica that may lack the last changes, and before any
service starts. Compares both and puts right what one of them knows: accounts, revoked keys and links, endpoints, cases, the
outbox, bulk jobs, report numbers; readers go on where the log goes on. No webhook of the past is sent again, and no report
number is given out again. Says what the backup does not hold. Where something is missing that would make reports wrong, it
changes nothing and says so in one sentence. A second run finds nothing to do. What it did is recorded (cupel audit export).
docs/runbooks/restore-a-backup.md goes through it.`,
    )
    .option('--reason <text>', 'what happened, for the audit log')
    .option('--dry-run', 'say what would be done, and do nothing')
    .option('--accept-lost', 'go on with a log that lost its last records')
    .option('--accept-missing-ledger', 'go on without ledger segments that the database lacks')
    .option('--older-database', 'the database is older than the log, whatever the log tells')
    .option('--json', 'answer in JSON')
    .action(async (options: RestoreCommandOptions) => {
      const dryRun = options.dryRun === true
      const reason = dryRun ? (options.reason ?? '') : requiredReason(options.reason)
      const [{ restore }, { withConnections }, { mailStyleOf }] = await Promise.all([
        import('./restore.js'),
        import('@cupel/command-line/installation'),
        import('@cupel/webhooks/worker'),
      ])
      const restored = await withConnections(context, async ({ run, database, log, codec, config }) => {
        if (run !== null) throw new CommandError('Stop the installation first: it is running.', EXIT_FAILED)
        const evidence = installationEvidence(context, config)
        const baseUrl = (): string =>
          config.CUPEL_BASE_URL ?? `http://${config.CUPEL_HOST}:${config.CUPEL_PORT}`
        const mailStyle = mailStyleOf(config, { baseUrl, webUrl: () => null })()
        return await restore(
          { database, log, codec, evidence, mailStyle },
          {
            ...{ dryRun, reason, by: operator(), acceptsLost: options.acceptLost === true },
            acceptsMissingLedger: options.acceptMissingLedger === true,
            isOlderDatabase: options.olderDatabase === true,
          },
        )
      })
      const { mayStart, isOlderDatabase, changes, lost, refusals } = restored
      const json = {
        dry_run: dryRun,
        may_start: mayStart,
        older_database: isOlderDatabase,
        changes,
        lost,
        refusals,
      }
      answer(context, options, json, () => textOf(restored, dryRun))
      if (!mayStart) process.exitCode = EXIT_FAILED
    })
}

function textOf({ mayStart, changes, lost, refusals }: Restored, dryRun: boolean): string {
  const section = (title: string, sentences: readonly string[]): string[] =>
    sentences.length === 0 ? [] : [title, ...sentences.map((sentence) => `  ${sentence}`)]
  const ending = !mayStart
    ? 'Nothing was changed. The services may not be started.'
    : changes.length === 0
      ? 'Nothing to do. The services may be started.'
      : dryRun
        ? 'Nothing was changed: this was a dry run.'
        : 'Done. The services may be started.'
  return [
    ...section(mayStart && !dryRun ? 'Changed:' : 'To be changed:', changes),
    ...section('Lost:', lost),
    ...section('Refused:', refusals),
    ending,
  ].join('\n')
}
