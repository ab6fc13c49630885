/** Rights of users at the local broker, which refuses what no ACL allows, as a cluster in production does. */
import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { silentLogger } from '@cupel/contracts'
import kafkajs from 'kafkajs'
import { startKafka, type KafkaJars, type RunningKafka } from '@cupel/local-stack'
import { newKafkaFolder, RECORD_FOLDER, until } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { record } from '../contract/records.contract.js'
import { GENESIS_TOPIC } from '../genesis.js'
import { compareAcls, createAcls, type KafkaAcl } from './acls.js'
import { jarsOrReason, specOf } from './broker-under-test.contract.js'
import { openKafkaLog } from './kafka-log.js'
import { withAdmin } from './with-admin.js'

const jars = await jarsOrReason()
const CASE_TIMEOUT_MS = 240_000
const PASSWORD = 'only-for-this-test'
const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs
const { ALLOW, DENY } = AclPermissionTypes

describe.skipIf(typeof jars === 'string')('The local broker', { timeout: CASE_TIMEOUT_MS }, () => {
  let folder: string
  let kafka: RunningKafka
  beforeAll(async () => {
    if (typeof jars === 'string') return
    folder = await newKafkaFolder()
    kafka = await startKafka({
      ...{ jars, folder, recordFolder: RECORD_FOLDER, logFile: join(folder, 'kafka.log'), heapMb: 256 },
    })
  }, CASE_TIMEOUT_MS)
  afterAll(async () => {
    await (kafka as RunningKafka | undefined)?.stop()
    rmSync(folder, { recursive: true, force: true })
  }, CASE_TIMEOUT_MS)

  const connection = () => ({ ...kafka.access, clientId: 'admin', logger: silentLogger })
  const right: KafkaAcl = {
    ...{ principal: 'User:cupel-scorer', resource_type: 'topic', pattern: 'literal', operation: 'Read' },
    name: 'granted.v1',
  }

  test('a user that is made as the page of an installation says has the rights that it is given, and no others', async () => {
    const file = join(folder, 'user.properties')
    writeFileSync(file, `SCRAM-SHA-512=password=${PASSWORD}\n`, { mode: 0o600 })
    const { java, kafkaLibs } = jars as KafkaJars
    const tool = ['-XX:TieredStopAtLevel=1', '-cp', join(kafkaLibs, '*'), 'kafka.admin.ConfigCommand']
    const where = [
      ...['--bootstrap-server', kafka.access.brokers[0]!],
      ...['--command-config', kafka.clientProperties],
    ]
    const user = ['--alter', '--entity-type', 'users', '--entity-name', 'rehearsed']
    execFileSync(java, [...tool, ...where, ...user, '--add-config-file', file], { stdio: 'pipe' })
    const owner = openKafkaLog({ ...kafka.access, clientId: 'owner' })
    await owner.ensureTopics([specOf('granted.v1'), specOf('other.v1')])
    await owner.append('test', [record('granted.v1', 'first', { partition: 0 })])
    const log = openKafkaLog({
      ...{ brokers: kafka.access.brokers, clientId: 'rehearsed' },
      sasl: { mechanism: 'scram-sha-512', username: 'rehearsed', password: PASSWORD },
    })
    const principal = 'User:rehearsed'
    const append = (topic: string) => log.append('test', [record(topic, 'of a user', { partition: 0 })])
    await expect(append('granted.v1')).rejects.toThrow()
    await createAcls(connection(), [
      { ...right, principal, name: GENESIS_TOPIC },
      { ...right, principal },
      { ...right, principal, operation: 'Write' },
    ])
    await until(async () => void (await append('granted.v1')))
    await expect(append('other.v1')).rejects.toThrow()
    await log.close()
    await owner.close()
  })

  test('rights are missing until they are granted, each by its own user, resource and operation', async () => {
    const others: KafkaAcl[] = [
      { ...right, principal: 'User:cupel-api' },
      { ...right, operation: 'Write' },
      { ...right, pattern: 'prefixed' },
      { ...right, name: 'granted.v2' },
      { ...right, resource_type: 'group' },
    ]
    const compare = () => compareAcls(connection(), [right, ...others])
    expect(await compare()).toEqual({ missing: [right, ...others], denied: [], further: [] })
    await createAcls(connection(), [right])
    await until(async () => expect((await compare()).missing).toEqual(others))
  })

  test('an entry that denies a part of a right is named, and one that allows more than the rights', async () => {
    const principal = 'User:cupel-examined'
    const topic: KafkaAcl = { ...right, principal, name: 'examined.v1' }
    const groups: KafkaAcl = { ...topic, resource_type: 'group', name: 'examined.', pattern: 'prefixed' }
    const { ALL, DELETE, DESCRIBE, READ, WRITE } = AclOperationTypes
    const entry = {
      ...{ principal, host: '*', resourceType: AclResourceTypes.TOPIC, resourceName: 'examined.v1' },
      ...{ resourcePatternType: ResourcePatternTypes.LITERAL, permissionType: DENY, operation: READ },
    }
    const { GROUP } = AclResourceTypes
    const { PREFIXED } = ResourcePatternTypes
    const acl = [
      // Each refuses a part of a right: of everybody from one host, of what Read includes, of topics with a beginning, of one of the groups.
      { ...entry, principal: 'User:*', operation: ALL, host: '10.0.0.9' },
      { ...entry, operation: DESCRIBE },
      { ...entry, resourceName: 'exam', resourcePatternType: PREFIXED },
      { ...entry, resourceName: 'examined.one', resourceType: GROUP },
      // Another operation, user, topic and group.
      { ...entry, operation: WRITE },
      { ...entry, principal: 'User:cupel-other' },
      { ...entry, resourceName: 'examined.v12' },
      { ...entry, resourceName: 'other.one', resourceType: GROUP },
      // More than is needed.
      { ...entry, permissionType: ALLOW, operation: DELETE },
      {
        ...entry,
        permissionType: ALLOW,
        principal: 'User:*',
        resourceName: 'exam',
        resourcePatternType: PREFIXED,
      },
    ]
    await createAcls(connection(), [topic, groups])
    await withAdmin(connection(), async (admin) => void (await admin.createAcls({ acl })))
    await until(async () => {
      const { missing, denied, further } = await compareAcls(connection(), [topic, groups])
      expect(missing).toEqual([])
      expect(
        denied
          .map(({ operation, resource_type: type, name, host }) => [operation, type, name, host])
          .toSorted(),
      ).toEqual([
        ['All', 'topic', 'examined.v1', '10.0.0.9'],
        ['Describe', 'topic', 'examined.v1', '*'],
        ['Read', 'group', 'examined.one', '*'],
        ['Read', 'topic', 'exam', '*'],
      ])
      expect(further).toHaveLength(2)
      expect(further).toEqual(
        expect.arrayContaining([
          {
            ...{ principal, host: '*', resource_type: 'topic', name: 'examined.v1', pattern: 'literal' },
            operation: 'Delete',
          },
          {
            ...{ principal: 'User:*', host: '*', resource_type: 'topic', name: 'exam', pattern: 'prefixed' },
            operation: 'Read',
          },
        ]),
      )
    })
  })
})
