/** Grants rights at the brokers as a user who may alter the cluster. */
import type { Logger } from '@cupel/contracts'
import type { KafkaAcl } from '@cupel/event-log/kafka'
import type { Config } from '@cupel/kit/service'
import { kafkaAccess } from '../../connections/index.js'
import type { Step } from './step.js'

/** What the brokers grant and deny of these rights, and a way to grant them. */
export async function brokerRightsOf(config: Config, logger: Logger, acls: readonly KafkaAcl[]) {
  const { compareAcls, connectionOptions, createAcls } = await import('@cupel/event-log/kafka')
  const access = { ...(await kafkaAccess(config)), clientId: 'cupel-install' }
  const connection = connectionOptions(access, logger)
  return {
    compare: () => compareAcls(connection, acls),
    missing: async () => (await compareAcls(connection, acls)).missing,
    grant: (missing: readonly KafkaAcl[]) => createAcls(connection, missing),
  }
}

export function brokerRightsStep(config: Config, logger: Logger, acls: readonly KafkaAcl[]): Step {
  const atBrokers = async () => await brokerRightsOf(config, logger, acls)
  return {
    name: 'rights at the brokers',
    needed: async () => (await (await atBrokers()).missing()).map(sentenceOf),
    async make() {
      const { missing, grant } = await atBrokers()
      const lacking = await missing()
      if (lacking.length > 0) await grant(lacking)
      return lacking.map(sentenceOf)
    },
  }
}

export const sentenceOf = ({ principal, operation, resource_type: type, name }: KafkaAcl): string =>
  `Grant ${principal} ${operation} on the ${type} ${name}.`
