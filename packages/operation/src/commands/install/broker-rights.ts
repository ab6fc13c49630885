/** Grants rights at the brokers as a user who may alter the cluster. */
import { CommandError, EXIT_FAILED } from '@cupel/command-line'
import type { Logger } from '@cupel/contracts'
import type { AclComparison, FoundAcl, KafkaAcl } from '@cupel/event-log/kafka'
import type { Config } from '@cupel/kit/service'
import { kafkaAccess } from '../../connections/index.js'
import type { Step } from './step.js'

/** What the brokers grant and deny of some rights, and a way to grant them. */
export interface BrokerRights {
  compare(): Promise<AclComparison>
  grant(missing: readonly KafkaAcl[]): Promise<void>
}

export async function brokerRightsOf(
  config: Config,
  logger: Logger,
  acls: readonly KafkaAcl[],
): Promise<BrokerRights> {
  const { compareAcls, connectionOptions, createAcls } = await import('@cupel/event-log/kafka')
  const access = { ...(await kafkaAccess(config)), clientId: 'cupel-install' }
  const connection = connectionOptions(access, logger)
  return {
    compare: () => compareAcls(connection, acls),
    grant: (missing) => createAcls(connection, missing),
  }
}

/** An entry that denies a right is left to the administrator: the step grants the others, names that entry and fails. */
export function brokerRightsStep(open: () => Promise<BrokerRights>): Step {
  return {
    name: 'rights at the brokers',
    async needed() {
      const { missing, denied } = await (await open()).compare()
      return [...missing.map(sentenceOf), ...denied.map(removalOf)]
    },
    async make() {
      const { compare, grant } = await open()
      const { missing, denied } = await compare()
      if (missing.length > 0) await grant(missing)
      if (denied.length > 0)
        throw new CommandError(
          `The brokers refuse what is needed, whatever is granted. Remove these entries:\n${denied.map(deniedText).join('\n')}`,
          EXIT_FAILED,
        )
      return missing.map(sentenceOf)
    },
  }
}

export const sentenceOf = ({ principal, operation, resource_type: type, name }: KafkaAcl): string =>
  `Grant ${principal} ${operation} on the ${type} ${name}.`

export const deniedText = (entry: FoundAcl): string => `${entry.principal} is denied ${onResource(entry)}.`

const removalOf = (entry: FoundAcl): string =>
  `Remove an entry of the brokers, which refuses what is granted: ${deniedText(entry)}`

export const onResource = ({ operation, resource_type: type, pattern, name, host }: FoundAcl): string =>
  `${operation} on the ${type} ${name}${pattern === 'prefixed' ? '…' : ''}${host === '*' ? '' : ` from ${host}`}`
