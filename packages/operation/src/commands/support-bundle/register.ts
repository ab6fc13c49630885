/** `cupel support-bundle`: one file for a helper, without secrets and without addresses that were screened. */
import type { Command } from 'commander'
import { answer, type JsonOption, type CliContext } from '@cupel/command-line'
import type { TarFile } from './tar.js'

interface Options extends JsonOption {
  readonly output?: string
  readonly metrics?: readonly string[]
}

/** Marks standard output as the target of the archive. */
const STANDARD_OUTPUT = '-'
const OWNER_ONLY = 0o600

export function registerSupportBundle(program: Command, context: CliContext): void {
  program
    .command('support-bundle')
    .summary('write one file with the state of the installation, for whoever helps')
    .description(
      `Writes a .tar.gz with settings (never the value of a secret), versions, the checks of \`cupel doctor\`, status, topics and groups, sizes of tables,
metrics, and the ends of the logs in CUPEL_HOME. Secrets of the installation, credentials and addresses are taken out of every file. Names of accounts, keys, hosts and report ids stay in: read it before you give it away. It changes nothing.`,
    )
    .option(
      '--output <file>',
      'where to write it; - is standard output (default: cupel-support-TIME.tar.gz here)',
    )
    .option(
      '--metrics <url>',
      'base address of the port of metrics of a service elsewhere; may be repeated',
      (url: string, before: readonly string[] | undefined) => [...(before ?? []), url],
    )
    .option('--json', 'answer in JSON')
    .action((options: Options) => bundle(options, context, program.version() ?? 'unknown'))
}

async function bundle(options: Options, context: CliContext, version: string): Promise<void> {
  const [{ collect }, { createRedact }, { knownSecrets }, { tarGz }, { readmeOf }, { writeBundle }] =
    await Promise.all([
      import('./collect.js'),
      import('./redact.js'),
      import('./known-secrets.js'),
      import('./tar.js'),
      import('./readme.js'),
      import('./write-bundle.js'),
    ])
  // Before anything is read: an installation that is stopped for a moment has the same secrets.
  const redact = createRedact(knownSecrets(context.environment, context.home))
  const { files, faults } = await collect({ context, version, metricsUrls: options.metrics ?? [] })
  const redacted = [...files, readmeOf(files, faults)].map(({ name, text }): TarFile => ({
    name,
    text: redact(text),
  }))
  const now = new Date()
  const archive = tarGz(redacted, now)
  if (options.output === STANDARD_OUTPUT) {
    await writeBundle(archive)
    return noteFaults(context, faults.map(redact))
  }
  const path = context.path(options.output ?? `cupel-support-${stampOf(now)}.tar.gz`)
  await writeBundle(archive, { path, mode: OWNER_ONLY })
  const names = redacted.map(({ name }) => name)
  answer(
    context,
    options,
    { file: path, bytes: archive.length, files: names, faults: faults.map(redact) },
    () =>
      [`Wrote ${path} (${Math.ceil(archive.length / 1024)} KiB): ${names.join(', ')}.`, REMINDER].join('\n'),
  )
  noteFaults(context, faults.map(redact))
}

const REMINDER =
  'Secrets and addresses that were screened are taken out. Hosts, names of accounts and ids of reports are in it: read it before you give it away.'

function noteFaults(context: CliContext, faults: readonly string[]): void {
  for (const fault of faults) context.note(fault)
}

/** 20261123T171100Z */
const stampOf = (moment: Date): string => moment.toISOString().replaceAll(/[-:]|\.\d+/g, '')
