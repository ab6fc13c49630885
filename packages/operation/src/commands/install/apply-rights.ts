/** `cupel install --apply-acls`: an administrator of the brokers needs no secret but that of a user who may alter the cluster. */
import type { CliContext } from '@cupel/command-line'
import { ConfigError, createLogger, kafkaPeers, requireVerifiedPeers } from '@cupel/kit/service'
import { installationAcls } from './acls.js'
import { brokerRightsStep } from './broker-rights.js'
import type { StepResult } from './install.js'

/** Grants the rights of services and of operators that the brokers do not grant yet, or only names them. */
export async function applyRights(
  context: CliContext,
  principalOf: (service: string) => string,
  dryRun: boolean,
): Promise<StepResult> {
  const config = await context.config()
  if (config.CUPEL_LOG !== 'kafka') throw new ConfigError('Rights are granted only where CUPEL_LOG=kafka.')
  requireVerifiedPeers(kafkaPeers(config), config, context.note)
  const logger = createLogger({ service: 'cupel', level: context.verbose ? 'info' : 'warn' })
  const acls = installationAcls(principalOf, config.CUPEL_TOPIC_PREFIX)
  const { name, needed, make } = brokerRightsStep(config, logger, acls)
  const missing = await needed()
  return { name, changes: dryRun ? missing : await make(missing) }
}
