/** `cupel doctor`: examines an installation and says what to do. */
import type { Command } from 'commander'
import { answer, table, type JsonOption, type CliContext, EXIT_FAILED } from '@cupel/command-line'
import { withConnections } from '@cupel/command-line/installation'
import type { Finding } from './examine.js'

export function registerDoctor(program: Command, context: CliContext): void {
  program
    .command('doctor')
    .summary('examine the installation and say what to do')
    .description(
      `Examines database, clock, tables, rights, brokers, topics, evidence, schemas, services, policy, lists, projections, dead letters,
waiting work, certificates and disk.
Exits with 0 if nothing is at fault (warnings are told) and with ${EXIT_FAILED} otherwise. It changes nothing.`,
    )
    .option('--json', 'answer in JSON')
    .action(async (options: JsonOption) => {
      const findings = await findingsOf(context)
      const healthy = findings.every(({ state }) => state !== 'fault')
      answer(context, options, { healthy, findings }, () => textOf(findings, healthy))
      if (!healthy) process.exitCode = EXIT_FAILED
    })
}

export async function findingsOf(context: CliContext): Promise<readonly Finding[]> {
  const [{ namesTarget, withTarget }, { examine }, { checksOf }, { installationEvidence }] =
    await Promise.all([
      import('../install/target.js'),
      import('./examine.js'),
      import('./checks.js'),
      import('@cupel/command-line/installation'),
    ])
  if (namesTarget(await context.config()))
    return await withTarget(context, (target) =>
      examine(
        checksOf({
          ...target,
          signingKeys: installationEvidence(context, target.config)?.keys ?? null,
          registry: target.config.CUPEL_LOG === 'kafka' ? target.registry : null,
          ...{ run: null, home: null },
        }),
      ),
    )
  return await withConnections(context, ({ config, database, log, run }) =>
    examine(
      checksOf({
        ...{ config, database, log, logins: [], registry: null, run, home: context.home },
        signingKeys: installationEvidence(context, config)?.keys ?? null,
      }),
    ),
  )
}

function textOf(findings: readonly Finding[], healthy: boolean): string {
  const rows = findings.map(({ name, state, detail, remedy }) => [name, state, `${detail} ${remedy}`.trim()])
  return [
    table([['CHECK', 'STATE', ''], ...rows]),
    '',
    healthy ? 'Nothing is at fault.' : 'Something is at fault: see the remedies above.',
  ].join('\n')
}
