/** `cupel audit`: checks the stored data against the log. */
import { lostRecords } from '../../transparency/index.js'
import { LogStoppedError, type EventLog } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import {
  rebuildReadModel,
  RebuildInProgressError,
  UnstatedRetirementError,
  UnappliableRecordError,
  type AcceptedDifferences,
  type RebuildResult,
} from '@cupel/projections'
import { readModels } from '@cupel/operation/read-models'
import type { Config } from '@cupel/kit/service'
import { Option, type Command } from 'commander'
import {
  answer,
  snakeCase,
  type JsonOption,
  type CliContext,
  CommandError,
  EXIT_FAILED,
  wholeNumber,
} from '@cupel/command-line'
import {
  requiredReason,
  installationEvidence,
  withConnections,
  operator,
} from '@cupel/command-line/installation'
import { registerExport } from './export.js'
import { registerRecompute } from './recompute.js'
import { progressNotes, replaySummary } from './replay-text.js'
import { registerVerify } from './verify.js'

interface ReplayOptions extends JsonOption {
  readonly target: string
  readonly accept?: number
  readonly reason?: string
}

export function registerAudit(program: Command, context: CliContext): void {
  const audit = program
    .command('audit')
    .summary('verify, recompute, rebuild and export what is stored')
    .description('Check what is stored against the log, build it anew, and export who did what.')

  registerExport(audit, context)
  registerVerify(audit, context)
  registerRecompute(audit, context)

  audit
    .command('replay')
    .summary('build a read model anew from the log')
    .description(
      `Builds the tables of a read model from the start of the log while those in service stay, compares both, and switches
in one transaction. The service goes on meanwhile. Cut off at any moment, the old tables stay in service. They also stay where
the log no longer has its first records or lost records that were signed, and where rows differ; then the command ends with ${EXIT_FAILED}. Rows that differ come into
service with --accept and the exact number of differences. Who accepted them and why is recorded (cupel audit export).`,
    )
    .addOption(
      new Option('--target <read-model>', 'what to build')
        .choices(readModels.map((readModel) => readModel.name))
        .makeOptionMandatory(),
    )
    .option(
      '--accept <count>',
      'put rows that differ into service: exactly the reported number of differences',
      wholeNumber,
    )
    .option('--reason <text>', 'why the differences are right, for the audit log')
    .option('--json', 'answer in JSON')
    .action(async (options: ReplayOptions) => {
      const result = await replay(context, options)
      answer(context, options, { ...snakeCase(result), comparison: result.comparison.map(snakeCase) }, () =>
        replaySummary(result, options.accept),
      )
      if (!result.switched) process.exitCode = EXIT_FAILED
    })
}

async function replay(context: CliContext, options: ReplayOptions): Promise<RebuildResult> {
  const readModel = readModels.find(({ name }) => name === options.target)!
  const accept = acceptedBy(options)
  return await withConnections(context, async ({ log, codec, database, logger, config }) => {
    await requireSigned(context, config, { log, database })
    return await rebuildReadModel({
      ...{ readModel, log, codec, database, logger },
      ...(accept === null ? {} : { accept }),
      onProgress: progressNotes(context.note, () => performance.now()),
    }).catch((cause: unknown) => {
      throw failureOf(cause)
    })
  })
}

/** Prevents a replay that would drop the rows of removed records: a log that lost signed records is not replayed. */
async function requireSigned(
  context: CliContext,
  config: Config,
  { log, database }: { readonly log: EventLog; readonly database: Database },
): Promise<void> {
  const settings = installationEvidence(context, config)
  if (settings === null) return
  const lost = await lostRecords({ log, database, ...settings })
  if (lost !== null) throw new CommandError(lost, EXIT_FAILED)
}

function acceptedBy({ accept, reason }: ReplayOptions): AcceptedDifferences | null {
  return accept === undefined ? null : { differences: accept, by: operator(), reason: requiredReason(reason) }
}

function failureOf(cause: unknown): unknown {
  if (cause instanceof UnstatedRetirementError) return new CommandError(cause.message, EXIT_FAILED, { cause })
  if (cause instanceof RebuildInProgressError)
    return new CommandError(`${cause.message}.`, EXIT_FAILED, { cause })
  if (cause instanceof UnappliableRecordError)
    return new CommandError(
      `The log holds a record that this version cannot apply, at ${cause.message}. The tables in service were left as they are.`,
      EXIT_FAILED,
      { cause },
    )
  if (cause instanceof LogStoppedError)
    return new CommandError(
      `${cause.message} The tables in service were left as they are: a rebuild from a part of the log would lack rows.`,
      EXIT_FAILED,
      { cause },
    )
  return cause
}
