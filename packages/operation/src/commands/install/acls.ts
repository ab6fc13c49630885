/** The rights that each service needs at the brokers, and no others. Source: Apache Kafka documentation, "Authorization and ACLs". */
import { topicOf, topicSpecs } from '@cupel/contracts'
import { installationTopics } from '@cupel/event-log'
import type { KafkaAcl as Acl } from '@cupel/event-log/kafka'
import { logServices, optionalServices, serviceAccess } from '../../connections/index.js'

/** The user of `cupel install` and of the commands of operators. */
export const OPERATOR = 'operator'

/** `principalOf` names the user of a service at the brokers, as `User:cupel-scorer`. */
export function serviceAcls(principalOf: (service: string) => string, topicPrefix: string): readonly Acl[] {
  return [...logServices, ...optionalServices].flatMap((service): Acl[] => {
    const { reads, writes, groups } = serviceAccess[service]
    const of = grant(principalOf(service), topicPrefix)
    return [
      // Read and Write include Describe; the settings of a topic need a right of their own.
      ...[...new Set([...reads, ...writes])].map((name) => of.topic(name, 'DescribeConfigs')),
      ...reads.map((name) => of.topic(name, 'Read')),
      ...writes.map((name) => of.topic(name, 'Write')),
      ...(groups === null ? [] : [of.groups(groups)]),
    ]
  })
}

/** The same, and the rights of operators. */
export function installationAcls(
  principalOf: (service: string) => string,
  topicPrefix: string,
): readonly Acl[] {
  const operator = grant(principalOf(OPERATOR), topicPrefix)
  const topics = [serviceAccess.api.reads[0]!, ...installationTopics().map(({ name }) => name)]
  const operations = ['Create', 'DescribeConfigs', 'AlterConfigs', 'Read', 'Write'] as const
  return [
    ...serviceAcls(principalOf, topicPrefix),
    ...topics.flatMap((name) => operations.map((operation) => operator.topic(name, operation))),
    // To add partitions.
    ...topicSpecs.filter(({ mayGrow }) => mayGrow).map(({ name }) => operator.topic(name, 'Alter')),
    // To cut what an archive has. Whoever may alter the settings of a topic can let its records expire anyway.
    ...[true, false].map((livemode) => operator.topic(topicOf('ReportGenerated', livemode), 'Delete')),
  ]
}

function grant(
  principal: string,
  prefix: string,
): {
  topic(name: string, operation: Acl['operation']): Acl
  groups(beginning: string): Acl
} {
  return {
    topic: (name, operation) => ({
      ...{ principal, resource_type: 'topic', name: prefix + name, pattern: 'literal', operation },
    }),
    groups: (beginning) => ({
      ...{
        principal,
        resource_type: 'group',
        name: prefix + beginning,
        pattern: 'prefixed',
        operation: 'Read',
      },
    }),
  }
}

/** Arguments of Kafka's own `kafka-acls.sh`, one line for all resources of a principal with the same operations: each call takes about a second. */
export function aclLines(acls: readonly Acl[]): string {
  const operationsOn = new Map<string, { readonly acl: Acl; readonly operations: string[] }>()
  for (const acl of acls) {
    const { principal, resource_type: type, pattern, name } = acl
    const key = [principal, type, pattern, name].join(' ')
    const { operations } = operationsOn.get(key) ?? operationsOn.set(key, { acl, operations: [] }).get(key)!
    operations.push(acl.operation)
  }
  const resourcesOf = new Map<string, string[]>()
  for (const { acl, operations } of operationsOn.values()) {
    const { principal, resource_type: type, pattern, name } = acl
    const of = operations.map((operation) => ` --operation ${operation}`).join('')
    const line = `--add --allow-principal ${principal}${of} --resource-pattern-type ${pattern}`
    resourcesOf.set(line, [...(resourcesOf.get(line) ?? []), `--${type} ${name}`])
  }
  return [...resourcesOf].map(([line, resources]) => `${line} ${resources.join(' ')}`).join('\n')
}
