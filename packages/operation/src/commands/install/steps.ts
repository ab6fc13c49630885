/**
 * The steps of an installation, in their order. Each one says what it would change before it changes anything, and a second run finds
 * nothing to do. `cupel start` takes the same functions for the Postgres and the Kafka that it runs.
 */
import { recordedReportPartitions, recordReportPartitions } from '@cupel/gate/access'
import { eventSchemas, reportPartitions, topicOf, type TopicSpec } from '@cupel/contracts'
import {
  type AuthenticLog,
  GENESIS_TOPIC,
  installationTopics,
  loadSchemaCatalog,
  openAuthenticLog,
  registerSchemas,
  requireFront,
  scan,
  type SchemaRegistry,
  typeOf,
} from '@cupel/event-log'
import { migrate, pendingMigrations, readMigrations, type Database } from '@cupel/postgres'
import { hasCurrentDefinition, installReadModels, installTenantWalls } from '@cupel/projections'
import { readModels } from '../../read-models/index.js'
import { acceptsFault, recordKeysOf } from '../../connections/index.js'
import {
  openLog,
  loadCodec,
  migrationSources,
  rightsChanges,
  sentencesOf,
  settleRights,
  takeableRights,
  ensureLogin,
  roleState,
  type ServiceLogin,
  ensureDefaultPolicy,
  renewReadModels,
} from '@cupel/command-line/installation'
import { serviceAcls } from './acls.js'
import { brokerRightsOf, brokerRightsStep } from './broker-rights.js'
import { evidenceSteps } from './evidence.js'
import { prepareTransferStore, transferStoreState } from '@cupel/ledger'
import type { Step } from './step.js'
import type { Target } from './target.js'
import { sizedTopics, type ChosenSizes } from './topic-sizes.js'

export interface StepChoices {
  readonly sizes?: ChosenSizes
  /** The user of a service at the brokers, where the installation grants the rights of each; absent: somebody else does. */
  readonly principalOf?: (service: string) => string
}

/** `note` receives sentences about work that takes long. */
export function installationSteps(
  target: Target,
  note: (sentence: string) => void,
  { sizes = {}, principalOf }: StepChoices = {},
): readonly Step[] {
  const { config, logger } = target
  return [
    migrationsStep(target),
    transfersStep,
    readModelsStep(target),
    ...(target.logins.length === 0 ? [] : [rolesStep(target)]),
    topicsStep(target, sizes),
    // The own user keeps its rights by other means, so that the brokers can be asked to grant some.
    ...(principalOf === undefined
      ? []
      : [
          brokerRightsStep(() =>
            brokerRightsOf(config, logger, serviceAcls(principalOf, config.CUPEL_TOPIC_PREFIX)),
          ),
        ]),
    ...(target.log.kind === 'embedded' ? [] : [reportPartitionsStep(target)]),
    schemasStep(target),
    ...evidenceSteps(target),
    policyStep(target),
    rebuildStep(target, note),
  ]
}

/** Nothing if the transfers of the ledger are in Postgres. */
const transfersStep: Step = {
  name: 'transfers',
  async needed() {
    // A database that does not exist yet does not answer.
    const state = await transferStoreState().catch(() => undefined)
    if (state === null) return []
    return state === undefined || state.missing.length > 0
      ? ['Create the tables of transfers in ClickHouse.']
      : []
  },
  async make(needed) {
    await prepareTransferStore()
    return needed
  },
}

function migrationsStep({ database }: Target): Step {
  return {
    name: 'migrations',
    needed: async () =>
      (await pendingMigrations(database, await readMigrations(migrationSources))).map(
        (id) => `Apply the migration ${id}.`,
      ),
    make: async () =>
      (await migrate(database, await readMigrations(migrationSources))).map(
        (id) => `Apply the migration ${id}.`,
      ),
  }
}

/** Indexes and the row security of all tables are checked in every run, because the check costs nothing if they are in place. */
function readModelsStep({ database }: Target): Step {
  return {
    name: 'read models',
    async needed() {
      const states = await Promise.all(
        readModels.map((readModel) => hasCurrentDefinition(database, readModel)),
      )
      return readModels
        .filter((_, index) => states[index] === null)
        .map(({ name }) => `Create the tables of the read model ${name}.`)
    },
    async make(needed) {
      await installReadModels(database, readModels)
      await installTenantWalls(database)
      return needed
    },
  }
}

/** After the tables, so that their rights are given in the same run. */
function rolesStep({ database, logins }: Target): Step {
  return {
    name: 'roles of the services',
    async needed() {
      const each = await Promise.all(logins.map((login) => neededOf(database, login)))
      return [...each.flat(), ...sentencesOf('everybody', await takeableRights(database))]
    },
    async make(needed) {
      for (const login of logins)
        if ((await roleState(database, login)) !== 'ready') await ensureLogin(database, login)
      await settleRights(database, logins)
      return needed
    },
  }
}

async function neededOf(database: Database, login: ServiceLogin): Promise<string[]> {
  const { role, source, rights } = login
  const state = await roleState(database, login)
  const sentences = {
    missing: [`Create the role ${role}.`, `Give the role ${role} its rights.`],
    'other-attributes': [
      `Give the role ${role} the attributes of a service: no superuser, no rights to create.`,
    ],
    refused: [`Give the role ${role} the password of ${source}.`],
    ready: [],
  } as const
  const changes = state === 'missing' ? [] : await rightsChanges(database, role, rights)
  return [...sentences[state], ...sentencesOf(`the role ${role}`, changes)]
}

function topicsStep(target: Target, sizes: ChosenSizes): Step {
  const { log, config } = target
  const accepts = acceptsFault(config)
  return {
    name: 'topics',
    async needed() {
      const topics = await sizedTopics(target, sizes)
      if (log.kind === 'embedded' && !(await hasLog(log))) return ['Create the topics.']
      return (await log.topicFaults(topics))
        .filter((fault) => fault.isPassing !== true && !accepts(fault))
        .map(({ setting, sentence, topic, isMended, wanted }) =>
          setting === 'topic'
            ? `Create the topic ${topic}.`
            : setting === 'partitions' && isMended
              ? `Add partitions to the topic ${topic}, up to ${wanted}.`
              : sentence,
        )
    },
    make: async () => await log.ensureTopics(await sizedTopics(target, sizes), accepts),
  }
}

/** After the topics: from now on report ids are made with the partitions of the topics. */
function reportPartitionsStep({ database }: Target): Step {
  return {
    name: 'report partitions',
    async needed() {
      if ((await recordedReportPartitions(database)) !== null) return []
      return [`Record that reports are in ${reportPartitions()} partitions.`]
    },
    async make(needed) {
      if (needed.length > 0) await recordReportPartitions(database, reportPartitions())
      return needed
    },
  }
}

/** On the embedded log topics are rows of a table that a migration makes. */
async function hasLog(log: Target['log']): Promise<boolean> {
  return await log.topicFaults([]).then(
    () => true,
    () => false,
  )
}

/** The topics whose ends can be read. An installation of an earlier release lacks new topics, and a plan is made before they exist. */
async function existingTopics({ log, config }: Target): Promise<readonly TopicSpec[]> {
  if (log.kind === 'embedded' && !(await hasLog(log))) return []
  const faults = await log.topicFaults(installationTopics())
  const absent = new Set(faults.filter(({ setting }) => setting === 'topic').map(({ topic }) => topic))
  const isAbsent = (name: string): boolean => absent.has(config.CUPEL_TOPIC_PREFIX + name)
  return isAbsent(GENESIS_TOPIC) ? [] : installationTopics().filter(({ name }) => !isAbsent(name))
}

function schemasStep({ database, registry, logger }: Target): Step {
  return {
    name: 'schemas',
    needed: async () =>
      (await missingSchemas(database, registry)).map(
        (subject) => `Register the schema of ${subject} under FULL_TRANSITIVE.`,
      ),
    async make(needed) {
      if (needed.length > 0) await registerSchemas({ database, registry, logger })
      return needed
    },
  }
}

/** Subjects whose schema of this version the registry or the database lacks, or holds under different ids. */
export async function missingSchemas(
  database: Database,
  registry: SchemaRegistry,
): Promise<readonly string[]> {
  const [row] = await database.query<{ exists: boolean }>(
    "SELECT to_regclass('log.schema_version') IS NOT NULL AS exists",
  )
  const all = Object.values(eventSchemas)
  if (!row!.exists) return all.map(({ subject }) => subject)
  const catalog = await loadSchemaCatalog(database)
  const missing: string[] = []
  for (const { subject, schema } of all) {
    const id = catalog.idOf(subject, schema)
    const isKnown =
      id !== undefined && (await registry.versions(subject)).some((version) => version.id === id)
    if (!isKnown) missing.push(subject)
  }
  return missing
}

function policyStep(target: Target): Step {
  const { database } = target
  return {
    name: 'policy',
    usesLog: true,
    async needed() {
      return (await hasActivation(target)) ? [] : ['Put the default policy in force.']
    },
    async make() {
      const codec = await loadCodec(database)
      const isNew = await withAuthentic(target, (authentic) =>
        ensureDefaultPolicy({ database, log: authentic, codec }),
      )
      return isNew ? ['Put the default policy in force.'] : []
    },
  }
}

/** Checks the types of the records: an installation of an earlier release has no schemas yet for a codec of this one. */
async function hasActivation(target: Target): Promise<boolean> {
  const { log } = target
  const [type, topic] = ['PolicyActivated', topicOf('PolicyActivated')]
  if (!(await existingTopics(target)).some(({ name }) => name === topic)) return false
  await requireFront(log, [topic])
  for await (const record of scan(log, [topic])) if (typeOf(record) === type) return true
  return false
}

/** Opens the log as a service does. The registered keys are in a table, so it opens after the migrations. */
async function withAuthentic<T>(
  { database, logger, config }: Target,
  work: (log: AuthenticLog) => Promise<T>,
): Promise<T> {
  const log = await openAuthenticLog({
    ...{ database, logger, keys: recordKeysOf(config) },
    log: await openLog(config, database, logger),
  })
  try {
    return await work(log)
  } finally {
    await log.close()
  }
}

function rebuildStep(target: Target, note: (sentence: string) => void): Step {
  const { database, logger } = target
  return {
    name: 'rebuilds',
    usesLog: true,
    async needed() {
      const states = await Promise.all(
        readModels.map((readModel) => hasCurrentDefinition(database, readModel)),
      )
      return readModels
        .filter((_, index) => states[index] === false)
        .map(({ name }) => `Rebuild the read model ${name} from the log.`)
    },
    async make(needed) {
      if (needed.length === 0) return []
      const codec = await loadCodec(database)
      await withAuthentic(target, (log) => renewReadModels({ database, log, codec }, { logger, note }))
      return needed
    },
  }
}
