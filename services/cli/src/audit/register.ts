/** `cupel audit`: what is stored, checked against the log. */
import { rebuildReadModel, RebuildInProgressError, UnappliableRecordError } from '@cupel/projections'
import { readModels } from '@cupel/read-models'
import { Option, type Command } from 'commander'
import { answer, snakeCase, type JsonOption } from '../answer.js'
import type { CliContext } from '../context.js'
import { CommandError, EXIT_FAILED } from '../explain.js'
import { withConnections } from '../connections.js'
import { registerExport } from './export.js'
import { registerRecompute } from './recompute.js'
import { progressNotes, replaySummary } from './replay-text.js'
import { registerVerify } from './verify.js'

interface ReplayOptions extends JsonOption {
  readonly target: string
  readonly compareOnly?: boolean
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
      `Builds the tables of a read model from the start of the log, beside those in service, compares both, and switches
in one transaction. The service goes on meanwhile. Cut off at any moment, the old tables stay in service.
With --compare-only nothing is switched, and the command ends with ${EXIT_FAILED} where rows differ.`,
    )
    .addOption(
      new Option('--target <read-model>', 'what to build')
        .choices(readModels.map((readModel) => readModel.name))
        .makeOptionMandatory(),
    )
    .option('--compare-only', 'compare, then leave everything as it is')
    .option('--json', 'answer in JSON')
    .action(async (options: ReplayOptions) => {
      const result = await replay(context, options)
      answer(context, options, { ...snakeCase(result), comparison: result.comparison.map(snakeCase) }, () =>
        replaySummary(result),
      )
      const differs = result.comparison.some(({ isEqual }) => !isEqual)
      if (options.compareOnly === true && differs) process.exitCode = EXIT_FAILED
    })
}

async function replay(context: CliContext, { target, compareOnly = false }: ReplayOptions) {
  const readModel = readModels.find(({ name }) => name === target)!
  return await withConnections(context, ({ log, codec, database, logger }) =>
    rebuildReadModel({
      readModel,
      log,
      codec,
      database,
      logger,
      compareOnly,
      onProgress: progressNotes(context.note, () => performance.now()),
    }).catch((error: unknown) => {
      if (error instanceof RebuildInProgressError)
        throw new CommandError(`${error.message}.`, EXIT_FAILED, { cause: error })
      if (error instanceof UnappliableRecordError)
        throw new CommandError(
          `The log holds a record that this version cannot apply, at ${error.message}. The tables in service were left as they are.`,
          EXIT_FAILED,
          { cause: error },
        )
      throw error
    }),
  )
}
