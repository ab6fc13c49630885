/** Rights of principals at the brokers. The installation prints or grants them. */
import * as kafkajs from 'kafkajs'
import type { KafkaConnectionOptions } from './kafkajs.js'
import { withAdmin } from './with-admin.js'

// Node finds no names for these in an import of kafkajs, which is not an ECMAScript module.
const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = (
  kafkajs as unknown as { readonly default: typeof kafkajs }
).default

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

/** Those of the rights that the brokers do not grant yet. */
export async function missingAcls(
  connection: KafkaConnectionOptions,
  acls: readonly KafkaAcl[],
): Promise<readonly KafkaAcl[]> {
  return await withAdmin(connection, async (admin) => {
    const { resources } = await admin.describeAcls({
      resourceType: AclResourceTypes.ANY,
      resourcePatternType: ResourcePatternTypes.ANY,
      operation: AclOperationTypes.ANY,
      permissionType: AclPermissionTypes.ANY,
    })
    const granted = new Set(
      resources.flatMap(({ acls: entries, ...on }) => entries.map((entry) => keyOf({ ...on, ...entry }))),
    )
    return acls.filter((acl) => !granted.has(keyOf(entryOf(acl))))
  })
}

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
