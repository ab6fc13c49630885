/** Grants rights at the brokers as a user who may alter the cluster. */
import type { Logger } from '@cupel/contracts'
import type { KafkaAcl } from '@cupel/event-log/kafka'
import type { Config } from '@cupel/kit/service'
import { kafkaAccess } from '../../connections/index.js'
import type { Step } from './step.js'

export function brokerRightsStep(config: Config, logger: Logger, acls: readonly KafkaAcl[]): Step {
  const atBrokers = async () => {
    const { connectionOptions, createAcls, missingAcls } = await import('@cupel/event-log/kafka')
    const access = { ...(await kafkaAccess(config)), clientId: 'cupel-install' }
    const connection = connectionOptions(access, logger)
    return {
      missing: () => missingAcls(connection, acls),
      grant: (missing: readonly KafkaAcl[]) => createAcls(connection, missing),
    }
  }
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

const sentenceOf = ({ principal, operation, resource_type: type, name }: KafkaAcl): string =>
  `Grant ${principal} ${operation} on the ${type} ${name}.`
