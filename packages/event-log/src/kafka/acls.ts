/** Rights of principals at the brokers. The installation prints or grants them. */
import * as kafkajs from 'kafkajs'
import type { KafkaConnectionOptions } from './kafkajs.js'
import { withAdmin } from './with-admin.js'

// Node finds no names for these in an import of kafkajs, which is not an ECMAScript module.
const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = (
  kafkajs as unknown as { readonly default: typeof kafkajs }
).default

const EVERYBODY = 'User:*'

export interface KafkaAcl {
  /** `User:` and a name. */
  readonly principal: string
  readonly resource_type: 'topic' | 'group'
  readonly name: string
  readonly pattern: 'literal' | 'prefixed'
  readonly operation: 'Read' | 'Write' | 'DescribeConfigs' | 'Create' | 'Delete' | 'Alter' | 'AlterConfigs'
}

const operations = {
  Read: AclOperationTypes.READ,
  Write: AclOperationTypes.WRITE,
  DescribeConfigs: AclOperationTypes.DESCRIBE_CONFIGS,
  Create: AclOperationTypes.CREATE,
  Delete: AclOperationTypes.DELETE,
  Alter: AclOperationTypes.ALTER,
  AlterConfigs: AclOperationTypes.ALTER_CONFIGS,
} as const

/** The connection's user needs the right to alter the cluster. A repeated call changes nothing. */
export async function createAcls(
  connection: KafkaConnectionOptions,
  acls: readonly KafkaAcl[],
): Promise<void> {
  await withAdmin(connection, async (admin) => {
    await admin.createAcls({ acl: acls.map(entryOf) })
  })
}

export interface AclComparison {
  /** Those of the rights that the brokers do not grant yet. */
  readonly missing: readonly KafkaAcl[]
  /** Entries that refuse one of the rights, whatever else allows it. */
  readonly denied: readonly FoundAcl[]
  /** Entries that allow one of the principals, or everybody, more than the rights, on any resource. */
  readonly further: readonly FoundAcl[]
}

/** An entry of the brokers, in the words of Kafka's own tools. */
export interface FoundAcl {
  readonly principal: string
  readonly host: string
  readonly resource_type: string
  readonly name: string
  readonly pattern: string
  readonly operation: string
}

/** Compares the entries of the brokers with the rights that principals need. */
export async function compareAcls(
  connection: KafkaConnectionOptions,
  acls: readonly KafkaAcl[],
): Promise<AclComparison> {
  return await withAdmin(connection, async (admin) => {
    const { resources } = await admin.describeAcls({
      resourceType: AclResourceTypes.ANY,
      resourcePatternType: ResourcePatternTypes.ANY,
      operation: AclOperationTypes.ANY,
      permissionType: AclPermissionTypes.ANY,
    })
    const entries = resources.flatMap(({ acls: of, ...on }) => of.map((entry) => ({ ...on, ...entry })))
    const granted = new Set(entries.map(keyOf))
    const needed = acls.map(entryOf)
    const neededKeys = new Set(needed.map(keyOf))
    const principals = new Set(acls.map(({ principal }) => principal))
    const isDenied = (entry: AclEntry): boolean =>
      entry.permissionType === AclPermissionTypes.DENY && needed.some((right) => refuses(entry, right))
    const isFurther = (entry: AclEntry): boolean =>
      entry.permissionType === AclPermissionTypes.ALLOW &&
      (entry.principal === EVERYBODY || principals.has(entry.principal)) &&
      !neededKeys.has(keyOf(entry))
    return {
      missing: acls.filter((_, at) => !granted.has(keyOf(needed[at]!))),
      denied: entries.filter(isDenied).map(foundOf),
      further: entries.filter(isFurther).map(foundOf),
    }
  })
}

/**
 * Whether an entry that denies takes a part of a right away, from any host. Source: Apache Kafka documentation, "Authorization and ACLs": of
 * entries that match, one that denies decides; Read, Write, Delete and Alter include Describe, AlterConfigs includes DescribeConfigs.
 */
function refuses(entry: AclEntry, right: AclEntry): boolean {
  return (
    (entry.principal === right.principal || entry.principal === EVERYBODY) &&
    entry.resourceType === right.resourceType &&
    [AclOperationTypes.ALL, right.operation, INCLUDED.get(right.operation)].includes(entry.operation) &&
    overlap(entry, right)
  )
}

const INCLUDED = new Map<number, number>([
  ...[AclOperationTypes.READ, AclOperationTypes.WRITE, AclOperationTypes.DELETE, AclOperationTypes.ALTER].map(
    (operation) => [operation, AclOperationTypes.DESCRIBE] as const,
  ),
  [AclOperationTypes.ALTER_CONFIGS, AclOperationTypes.DESCRIBE_CONFIGS],
])

/** Whether there is a name that both patterns match. */
function overlap(one: AclEntry, other: AclEntry): boolean {
  const isPrefix = ({ resourcePatternType: type }: AclEntry): boolean =>
    type === ResourcePatternTypes.PREFIXED
  if (one.resourceName === '*' && !isPrefix(one)) return true
  const [a, b] = [one.resourceName, other.resourceName]
  return a === b || (isPrefix(one) && b.startsWith(a)) || (isPrefix(other) && a.startsWith(b))
}

const wordOf = (names: object, value: number): string =>
  (Object.entries(names).find(([, number]) => number === value)?.[0] ?? String(value))
    .toLowerCase()
    .replaceAll(/(?:^|_)(.)/g, (_, first: string) => first.toUpperCase())

const foundOf = (entry: AclEntry): FoundAcl => ({
  ...{ principal: entry.principal, host: entry.host, name: entry.resourceName },
  resource_type: wordOf(AclResourceTypes, entry.resourceType).toLowerCase(),
  pattern: wordOf(ResourcePatternTypes, entry.resourcePatternType).toLowerCase(),
  operation: wordOf(AclOperationTypes, entry.operation),
})

type AclEntry = kafkajs.AclEntry

/** From every host. */
const entryOf = (acl: KafkaAcl): AclEntry => ({
  resourceType: acl.resource_type === 'topic' ? AclResourceTypes.TOPIC : AclResourceTypes.GROUP,
  resourceName: acl.name,
  resourcePatternType:
    acl.pattern === 'literal' ? ResourcePatternTypes.LITERAL : ResourcePatternTypes.PREFIXED,
  principal: acl.principal,
  host: '*',
  operation: operations[acl.operation],
  permissionType: AclPermissionTypes.ALLOW,
})

const keyOf = (entry: AclEntry): string =>
  [
    ...[entry.resourceType, entry.resourcePatternType, entry.resourceName],
    ...[entry.principal, entry.host, entry.operation, entry.permissionType],
  ].join(' ')
