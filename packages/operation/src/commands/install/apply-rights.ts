/** `cupel install --apply-acls` and `--diff-acls`: an administrator of the brokers needs no secret but that of a user who may alter the cluster. */
import type { CliContext } from '@cupel/command-line'
import { ConfigError, createLogger, kafkaPeers, requireVerifiedPeers, type Config } from '@cupel/kit/service'
import { installationAcls } from './acls.js'
import {
  brokerRightsOf,
  brokerRightsStep,
  deniedText,
  onResource,
  sentenceOf,
  type BrokerRights,
} from './broker-rights.js'
import type { StepResult } from './install.js'

type PrincipalOf = (service: string) => string

/** Grants the rights of services and of operators that the brokers do not grant yet, or only names what is needed. */
export async function applyRights(
  context: CliContext,
  principalOf: PrincipalOf,
  dryRun: boolean,
): Promise<StepResult> {
  const open = await rightsOf(context, principalOf)
  const { name, needed, make } = brokerRightsStep(open)
  const changes = await needed()
  return { name, changes: dryRun ? changes : await make(changes) }
}

export interface RightsDifference {
  readonly missing: readonly string[]
  readonly denied: readonly string[]
  readonly further: readonly string[]
}

/** How the rights at the brokers differ from those that are needed. Changes nothing. */
export async function diffRights(context: CliContext, principalOf: PrincipalOf): Promise<RightsDifference> {
  const open = await rightsOf(context, principalOf)
  const { missing, denied, further } = await (await open()).compare()
  return {
    missing: missing.map(sentenceOf),
    denied: denied.map(deniedText),
    further: further.map(
      (entry) => `${entry.principal} is allowed ${onResource(entry)}, and does not need it.`,
    ),
  }
}

async function rightsOf(context: CliContext, principalOf: PrincipalOf): Promise<() => Promise<BrokerRights>> {
  const config: Config = await context.config()
  if (config.CUPEL_LOG !== 'kafka') throw new ConfigError('Rights are granted only where CUPEL_LOG=kafka.')
  requireVerifiedPeers(kafkaPeers(config), config, context.note)
  const logger = createLogger({ service: 'cupel', level: context.verbose ? 'info' : 'warn' })
  const acls = installationAcls(principalOf, config.CUPEL_TOPIC_PREFIX)
  return () => brokerRightsOf(config, logger, acls)
}
