/** `cupel install` and `cupel upgrade`: bring a Postgres, a Kafka and a schema registry that exist to this version. */
import type { Command } from 'commander'
import type { StepResult } from './install.js'
import { answer, EXIT_FAILED, type JsonOption, type CliContext, wholeNumber } from '@cupel/command-line'

interface InstallCommandOptions extends JsonOption {
  readonly dryRun?: boolean
  readonly beforeRestore?: boolean
  readonly printAcls?: boolean
  readonly applyAcls?: boolean
  readonly diffAcls?: boolean
  readonly grantRights?: boolean
  readonly principal: string
  readonly screenPartitions?: number
  readonly reportPartitions?: number
}

const HELP = `
Found by settings: CUPEL_DATABASE_ADMIN_URL (owner of the tables), CUPEL_SERVICE_DATABASE_URLS (users of the
services, which are created), CUPEL_KAFKA_*, CUPEL_REGISTRY_*. docs/runbooks/install.md goes through it.`

export function registerInstall(program: Command, context: CliContext): void {
  register(program, context, false)
}

export function registerUpgrade(program: Command, context: CliContext): void {
  register(program, context, true)
}

function register(program: Command, context: CliContext, isUpgrade: boolean): void {
  const command = program
    .command(isUpgrade ? 'upgrade' : 'install')
    .summary(
      isUpgrade
        ? 'bring an existing installation to this version'
        : 'install into a Postgres and a Kafka that exist',
    )
    .description(
      `Makes what is missing, in this order: tables, read models, the role of the services, topics with every setting, schemas,
the evidence (MACs required of a new log, signing keys published, signatures of reports required), the default policy; then rebuilds read models of other versions. A second run changes nothing, and two at once take turns.
${isUpgrade ? 'There must be an installation already. ' : ''}Says what it did, or with --dry-run what it would do.`,
    )
    .option('--dry-run', 'say what would be done, and do nothing')
    .option('--print-acls', 'print the rights that each service needs at the brokers, and do nothing')
    .option(
      '--apply-acls',
      'grant them and those of operators as a user who may alter the cluster, and do nothing else; with --dry-run say which are missing',
    )
    .option(
      '--diff-acls',
      'say which of them are missing, which an entry denies, and which entries allow more, and do nothing',
    )
    .option('--grant-rights', 'also grant them, as a user who may alter the cluster')
    .option(
      '--principal <template>',
      'user of a service at the brokers, for --print-acls, --apply-acls, --diff-acls and --grant-rights',
      'User:cupel-{service}',
    )
    .option(
      '--screen-partitions <n>',
      'partitions of each lane of screens: as many scorers at most share its work (new on three brokers: 32); more can be added later',
      wholeNumber,
    )
    .option(
      '--report-partitions <n>',
      'partitions of the reports, a power of two up to 256 that can never be changed (new on three brokers: 64)',
      wholeNumber,
    )
    .option('--json', 'answer in JSON')
    .addHelpText('after', HELP)
    .action(async (options: InstallCommandOptions) => {
      if (options.printAcls === true) return await printAcls(context, options)
      if (options.applyAcls === true) return await applyAcls(context, options)
      if (options.diffAcls === true) return await diffAcls(context, options)
      const [{ install }, { withTarget }] = await Promise.all([import('./install.js'), import('./target.js')])
      const dryRun = options.dryRun === true
      const { screenPartitions: screen, reportPartitions: report } = options
      const steps = await withTarget(context, (target) =>
        install(target, {
          ...{ dryRun, isUpgrade, note: context.note, leavesLogEmpty: options.beforeRestore === true },
          ...(screen === undefined && report === undefined ? {} : { sizes: { screen, report } }),
          ...(options.grantRights === true ? { principalOf: principalOf(options) } : {}),
        }),
      )
      tell(context, options, steps)
    })
  if (!isUpgrade)
    command.option(
      '--before-restore',
      'append nothing to the log, so that `cupel archive restore` can write it',
    )
}

const principalOf =
  ({ principal }: InstallCommandOptions) =>
  (service: string): string =>
    principal.replaceAll('{service}', service)

async function printAcls(context: CliContext, options: InstallCommandOptions): Promise<void> {
  const { aclLines, installationAcls } = await import('./acls.js')
  const acls = installationAcls(principalOf(options), (await context.config()).CUPEL_TOPIC_PREFIX)
  answer(context, options, { acls }, () => aclLines(acls))
}

async function applyAcls(context: CliContext, options: InstallCommandOptions): Promise<void> {
  const { applyRights } = await import('./apply-rights.js')
  tell(context, options, [await applyRights(context, principalOf(options), options.dryRun === true)])
}

/** Fails if the services lack a right. */
async function diffAcls(context: CliContext, options: InstallCommandOptions): Promise<void> {
  const { diffRights } = await import('./apply-rights.js')
  const difference = await diffRights(context, principalOf(options))
  const { missing, denied, further } = difference
  answer(context, options, difference, () =>
    [...missing, ...denied, ...further, 'Nothing was changed.'].join('\n'),
  )
  if (missing.length + denied.length > 0) process.exitCode = EXIT_FAILED
}

type Told = readonly StepResult[]

function tell(context: CliContext, options: InstallCommandOptions, steps: Told): void {
  const dryRun = options.dryRun === true
  const changed = !dryRun && steps.some(({ changes }) => changes.length > 0)
  answer(context, options, { dry_run: dryRun, changed, steps }, () => textOf(steps, dryRun))
}

function textOf(steps: Told, dryRun: boolean): string {
  const lines = steps.flatMap(({ name, changes }) =>
    changes.length === 0 ? [`${name}: in place`] : [`${name}:`, ...changes.map((change) => `  ${change}`)],
  )
  const isDone = steps.every(({ changes }) => changes.length === 0)
  return [...lines, isDone ? 'Nothing to do.' : dryRun ? 'Nothing was changed.' : 'Done.'].join('\n')
}
