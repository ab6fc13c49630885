/** `cupel install --apply-acls` and `--diff-acls`: an administrator of the brokers needs no secret but that of a user who may alter the cluster. */
import { CommandError, EXIT_FAILED, type CliContext } from '@cupel/command-line'
import type { FoundAcl } from '@cupel/event-log/kafka'
import { ConfigError, createLogger, kafkaPeers, requireVerifiedPeers, type Config } from '@cupel/kit/service'
import { installationAcls } from './acls.js'
import { brokerRightsOf, brokerRightsStep, sentenceOf } from './broker-rights.js'
import type { StepResult } from './install.js'

type PrincipalOf = (service: string) => string

/**
 * Grants the rights of services and of operators that the brokers do not grant yet, or only names them. An entry that denies one of them is
 * left to the administrator: the command names it and fails.
 */
export async function applyRights(
  context: CliContext,
  principalOf: PrincipalOf,
  dryRun: boolean,
): Promise<StepResult> {
  const { config, logger, acls } = await partsOf(context, principalOf)
  const { name, needed, make } = brokerRightsStep(config, logger, acls)
  const missing = await needed()
  const changes = dryRun ? missing : await make(missing)
  const { denied } = await (await brokerRightsOf(config, logger, acls)).compare()
  const refusal = refusalOf(denied)
  if (refusal !== null) throw new CommandError(refusal, EXIT_FAILED)
  return { name, changes }
}

export interface RightsDifference {
  readonly missing: readonly string[]
  readonly denied: readonly string[]
  readonly further: readonly string[]
}

/** How the rights at the brokers differ from those that are needed. Changes nothing. */
export async function diffRights(context: CliContext, principalOf: PrincipalOf): Promise<RightsDifference> {
  const { config, logger, acls } = await partsOf(context, principalOf)
  const { missing, denied, further } = await (await brokerRightsOf(config, logger, acls)).compare()
  return {
    missing: missing.map(sentenceOf),
    denied: denied.map(deniedText),
    further: further.map(
      (entry) => `${entry.principal} is allowed ${onResource(entry)}, and does not need it.`,
    ),
  }
}

async function partsOf(context: CliContext, principalOf: PrincipalOf) {
  const config: Config = await context.config()
  if (config.CUPEL_LOG !== 'kafka') throw new ConfigError('Rights are granted only where CUPEL_LOG=kafka.')
  requireVerifiedPeers(kafkaPeers(config), config, context.note)
  const logger = createLogger({ service: 'cupel', level: context.verbose ? 'info' : 'warn' })
  return { config, logger, acls: installationAcls(principalOf, config.CUPEL_TOPIC_PREFIX) }
}

/** Null if no entry denies a right. */
export function refusalOf(denied: readonly FoundAcl[]): string | null {
  if (denied.length === 0) return null
  return `The brokers refuse what is needed, whatever is granted. Remove these entries:\n${denied.map(deniedText).join('\n')}`
}

const deniedText = (entry: FoundAcl): string => `${entry.principal} is denied ${onResource(entry)}.`

const onResource = ({ operation, resource_type: type, pattern, name, host }: FoundAcl): string =>
  `${operation} on the ${type} ${name}${pattern === 'prefixed' ? '…' : ''}${host === '*' ? '' : ` from ${host}`}`
