/** The checks of `cupel doctor`. */
import { useRecordedReportPartitions } from '@cupel/gate/access'
import {
  deadLetterGroups,
  installationTopics,
  listDeadLetters,
  missingFront,
  type SchemaRegistry,
  type TopicFault,
} from '@cupel/event-log'
import { listComparedRows } from '@cupel/projections/heartbeats'
import { createLedgerCheck } from '@cupel/ledger'
import { openDatabase, pendingMigrations, readMigrations, type Database } from '@cupel/postgres'
import { readActivations } from '@cupel/policy'
import { hasCurrentDefinition } from '@cupel/projections'
import { readActivePolicy } from '@cupel/policy/read-model'
import { readModels } from '../../read-models/index.js'
import { acceptsFault, certainSkewMs, measureClock } from '../../connections/index.js'
import { readDiskSpace } from '@cupel/kit/service'
import {
  loadCodec,
  migrationSources,
  publicRights,
  rightsChanges,
  sentencesOf,
  roleState,
  type ServiceLogin,
} from '@cupel/command-line/installation'
import { postgresVersion } from '../install/install.js'
import { missingSchemas } from '../install/steps.js'
import { listState } from '@cupel/labels/commands'
import { readServices } from '../status/processes.js'
import { certificatesCheck } from './certificates-check.js'
import { evidenceCheck, standstillFaults } from './evidence-check.js'
import { mailCheck } from './mail-check.js'
import { retentionCheck } from './retention-check.js'
import { transfersCheck } from './transfers-check.js'
import { fault, INSTALL, ok, warning, type Check, type Examined, type Finding } from './examine.js'

/** Beyond this skew, times of this machine in names and logs mislead readers who compare them with others. */
const MAX_SKEW_MS = 1_000
/** A managed server does not let its customers change the rights on its own functions. */
const OF_SERVER =
  'Run `cupel install` with an administrator of the server as CUPEL_DATABASE_ADMIN_URL; if the server has none for you, a service that is taken over can use them.'

export function checksOf(examined: Examined): readonly Check[] {
  return [
    databaseCheck(examined),
    clockCheck(examined),
    tablesCheck(examined),
    examined.logins.length === 0 ? ownRoleCheck(examined) : rolesCheck(examined),
    brokersCheck(examined),
    topicsCheck(examined),
    evidenceCheck(examined),
    ...(examined.registry === null ? [] : [schemasCheck(examined, examined.registry)]),
    servicesCheck(examined),
    policyCheck(examined),
    listsCheck(examined),
    transfersCheck(examined),
    ledgerCheck(examined),
    rowsCheck(examined),
    projectionsCheck(examined),
    retentionCheck(examined),
    deadLettersCheck(examined),
    waitingCheck(examined),
    certificatesCheck(examined),
    mailCheck(examined),
    ...(examined.home === null ? [] : [diskCheck(examined, examined.home)]),
  ]
}

const databaseCheck = ({ database }: Examined): Check => ({
  name: 'database',
  look: async () => [ok(`Postgres ${await postgresVersion(database)} answers.`)],
})

const clockCheck = ({ database }: Examined): Check => ({
  name: 'clock',
  needs: ['database'],
  async look() {
    const skewMs = certainSkewMs(await measureClock(database, Date.now))
    if (skewMs <= MAX_SKEW_MS) return [ok('This machine and the database agree on the time.')]
    return [
      fault(
        `The clocks of this machine and of the database are ${Math.round(skewMs)} ms apart.`,
        'Let both follow a time server (NTP).',
      ),
    ]
  },
})

const tablesCheck = ({ database }: Examined): Check => ({
  name: 'tables',
  needs: ['database'],
  async look() {
    const pending = await pendingMigrations(database, await readMigrations(migrationSources))
    if (pending.length > 0)
      return [fault(`${pending.length} migrations are not applied, as ${pending[0]}.`, INSTALL)]
    const states = await Promise.all(readModels.map((readModel) => hasCurrentDefinition(database, readModel)))
    const faults = readModels.flatMap(({ name }, index) => {
      if (states[index] === null)
        return [fault(`The tables of the read model ${name} do not exist.`, INSTALL)]
      return states[index]
        ? []
        : [fault(`Another version made the tables of the read model ${name}.`, INSTALL)]
    })
    return faults.length > 0 ? faults : [ok('Every table is of this version.')]
  },
})

const rolesCheck = ({ database, logins }: Examined): Check => ({
  name: 'roles of the services',
  needs: ['database', 'tables'],
  async look() {
    const held = await publicRights(database)
    const open = [
      ...sentencesOf(
        'everybody',
        held.filter(({ canTake }) => canTake),
      ).map((sentence) => warning(sentence, INSTALL)),
      ...sentencesOf(
        'everybody',
        held.filter(({ canTake }) => !canTake),
      ).map((sentence) => warning(`${sentence} Their owner is another user.`, OF_SERVER)),
    ]
    const each = await Promise.all(logins.map((login) => lookAt(database, login)))
    const shared =
      logins.length > 1
        ? []
        : [warning('All services share one role.', 'Give each its own: CUPEL_SERVICE_DATABASE_URLS.')]
    return [...each, ...shared, ...open]
  },
})

async function lookAt(database: Database, login: ServiceLogin): Promise<Omit<Finding, 'name'>> {
  const { role, rights, url } = login
  const state = await roleState(database, login)
  if (state === 'missing') return fault(`The role ${role} does not exist.`, INSTALL)
  if (state === 'refused') return fault(`The database refuses the password of ${role}.`, INSTALL)
  if (state === 'other-attributes') return fault(`The role ${role} has more rights than a service.`, INSTALL)
  const changes = sentencesOf(`the role ${role}`, await rightsChanges(database, role, rights))
  if (changes.length > 0) return fault(changes.join(' '), INSTALL)
  if (await ownsNothing(url)) return ok(`${role} signs in, and has the rights it needs.`)
  return fault(
    `The role ${role} owns tables: it could change what the log recorded.`,
    'Use a role that owns nothing.',
  )
}

async function ownsNothing(serviceUrl: string): Promise<boolean> {
  const database = openDatabase({
    connectionString: serviceUrl,
    maxConnections: 1,
    applicationName: 'cupel-doctor',
    onIdleError: () => undefined,
  })
  try {
    const rows = await database.query('SELECT 1 FROM pg_class WHERE relowner = current_user::regrole LIMIT 1')
    return rows.length === 0
  } finally {
    await database.close()
  }
}

const ownRoleCheck = ({ home }: Examined): Check => ({
  name: 'roles of the services',
  look: async () =>
    home === null
      ? [
          warning(
            'The services use the connection of the owner of the tables.',
            'Name the owner in CUPEL_DATABASE_ADMIN_URL and the users of the services in the folder of CUPEL_SERVICE_DATABASE_URLS, then run `cupel install`.',
          ),
        ]
      : [ok('The local installation has one of its own.')],
})

const brokersCheck = ({ log, config }: Examined): Check => ({
  name: 'log',
  needs: ['database', 'tables'],
  async look() {
    const identity = await log.identity()
    if (log.kind === 'embedded') return [ok(`The embedded log is ${identity}.`)]
    const isSafe = config.CUPEL_KAFKA_TLS || config.CUPEL_KAFKA_SASL_MECHANISM !== undefined
    return [
      ok(`Kafka answers at ${config.CUPEL_KAFKA_BROKERS.join(', ')}; the log is ${identity}.`),
      ...(isSafe
        ? []
        : [
            warning(
              'The brokers are called without TLS and without a password.',
              'Secure them, and set CUPEL_KAFKA_TLS and CUPEL_KAFKA_SASL_MECHANISM.',
            ),
          ]),
    ]
  },
})

const topicsCheck = ({ database, log, config }: Examined): Check => ({
  name: 'topics',
  needs: ['log'],
  async look() {
    const accepts = acceptsFault(config)
    await useRecordedReportPartitions(database)
    const topics = installationTopics()
    const faults = (await log.topicFaults(topics)).map((found) =>
      accepts(found)
        ? warning(found.sentence, 'CUPEL_TOPIC_OVERRIDES accepts it.')
        : fault(found.sentence, remedyOf(found)),
    )
    if (faults.some(({ state }) => state === 'fault')) return faults
    const front = await missingFront(
      log,
      topics.map(({ name }) => name),
    )
    if (front !== null) return [...faults, fault(front, 'docs/runbooks/restore-a-backup.md')]
    return [...faults, ok(`${topics.length} topics keep every record.`)]
  },
})

function remedyOf({ isPassing, isMended }: TopicFault): string {
  if (isPassing) return 'Start the broker that is down, or read its log.'
  return isMended ? INSTALL : 'Change it at the brokers, or accept it with CUPEL_TOPIC_OVERRIDES.'
}

const schemasCheck = ({ database }: Examined, registry: SchemaRegistry): Check => ({
  name: 'schemas',
  needs: ['database', 'tables'],
  async look() {
    const missing = await missingSchemas(database, registry)
    if (missing.length === 0) return [ok('The registry and the database hold every schema.')]
    return [fault(`${missing.length} schemas of this version are not registered, as ${missing[0]}.`, INSTALL)]
  },
})

/** A start comes after the first examination, so it is no fault that nothing runs at all. */
const servicesCheck = ({ database, run }: Examined): Check => ({
  name: 'services',
  needs: ['database', 'tables'],
  async look() {
    const { services, missing, running } = await readServices(database, run)
    if (!running) return [warning('No service runs.', 'Start the services.')]
    const found = [
      ...missing.map((name) => fault(`No ${name} runs.`, 'Start it, or read its log.')),
      ...services
        .filter(({ ready }) => !ready)
        .map(({ name, detail, is_seen: isSeen }) =>
          isSeen
            ? fault(`${name} is not ready: ${detail}.`, 'Read its log.')
            : warning(
                `${name} ended without a word: ${detail}.`,
                'Start it, unless another one does its work.',
              ),
        ),
    ]
    return found.length > 0 ? found : [ok(`Ready processes: ${services.length}.`)]
  },
})

const policyCheck = ({ database, log }: Examined): Check => ({
  name: 'policy',
  needs: ['topics', 'tables'],
  async look() {
    const policy = await readActivePolicy(database)
    if (policy !== null) return [ok(`The policy in force is ${policy.policyId} version ${policy.version}.`)]
    const activations = await readActivations(log, await loadCodec(database))
    return activations.length > 0
      ? [warning('The policy in the log is not in the read models yet.', 'Start the projector.')]
      : [fault('No policy was ever put in force.', INSTALL)]
  },
})

/** The rows of imports and prices. Those of single transfers are many: `cupel audit verify` and the scorers compare them. */
const ledgerCheck = ({ database, log }: Examined): Check => ({
  name: 'ledger',
  needs: ['topics', 'tables'],
  async look() {
    const state = await createLedgerCheck({ database, log, codec: await loadCodec(database) })()
    if (state.fault !== null) return [fault(state.fault, '`cupel audit verify` names each difference.')]
    if (state.unstated !== null)
      return [warning(`${state.unstated} It is not used.`, 'If no import is running, remove the row.')]
    const stopped = await standstillFaults({ database, log }, ['follower'])
    return [ok(`The ledger has the ${state.ledgerSeq} imports that the log states.`), ...stopped]
  },
})

const rowsCheck = (examined: Examined): Check => ({
  name: 'rows',
  needs: ['database', 'tables', 'log'],
  async look() {
    const faults = await standstillFaults(examined, ['rows'])
    if (faults.length > 0) return faults
    const told = await listComparedRows(examined.database)
    if (told.length === 0)
      return [
        warning('No scorer compares the rows of labels and of the ledger with the log.', 'Start the scorer.'),
      ]
    return told.map(({ kind, ageMs }) =>
      ok(
        `A scorer compared all rows of ${kind} with the log ${Math.round(ageMs / 1_000)} s ago, or began then.`,
      ),
    )
  },
})

const listsCheck = ({ database }: Examined): Check => ({
  name: 'lists',
  needs: ['database', 'tables'],
  async look() {
    const { sets, hasSanctionsList } = await listState(database, new Date())
    const late = sets
      .filter(({ isRequired, status }) => isRequired && status !== 'current')
      .map(({ source, dataset, status }) =>
        warning(
          `The list ${source}/${dataset} is ${status}: nothing is green.`,
          '`cupel labels sources` says more.',
        ),
      )
    if (!hasSanctionsList)
      return [
        ...late,
        warning(
          'No whole sanctions list that the policy requires is in force: nothing is green.',
          'Import one with `cupel labels import`, or let it be refreshed (docs/labels.md).',
        ),
      ]
    return late.length > 0 ? late : [ok('The required lists are in force.')]
  },
})

const projectionsCheck = (examined: Examined): Check => ({
  name: 'projections',
  needs: ['database', 'tables', 'log'],
  async look() {
    const found = await standstillFaults(examined, ['projection', 'outbox'])
    return found.length > 0 ? found : [ok('No projection has stopped.')]
  },
})

const deadLettersCheck = ({ log }: Examined): Check => ({
  name: 'dead letters',
  needs: ['topics'],
  async look() {
    const counts = await Promise.all(
      deadLetterGroups.map(async (group) => ({ group, count: (await listDeadLetters(log, group)).length })),
    )
    const found = counts
      .filter(({ count }) => count > 0)
      .map(({ group, count }) =>
        warning(`${group} has ${count} dead letters.`, 'docs/runbooks/dead-letters.md'),
      )
    return found.length > 0 ? found : [ok('There are none.')]
  },
})

/** The topics check names each topic with replicas that are not in step. */
const waitingCheck = (examined: Examined): Check => ({
  name: 'waiting work',
  needs: ['database', 'tables', 'log'],
  async look() {
    const faults = await standstillFaults(examined, ['screens', 'watches', 'webhooks', 'lists', 'clocks'])
    const exhausted = await exhaustedDeliveries(examined.database)
    const lost =
      exhausted === 0
        ? []
        : [
            warning(
              `${exhausted} webhooks of the last day were given up: their receivers failed for three days.`,
              'docs/runbooks/a-receiver-is-dead.md',
            ),
          ]
    return [...faults, ...(faults.length > 0 ? lost : [...lost, ok('Nothing waits for a service.')])]
  },
})

async function exhaustedDeliveries(database: Database): Promise<number> {
  const [row] = await database.query<{ exhausted: number }>(
    `SELECT count(*)::int4 AS exhausted FROM webhooks.delivery
     WHERE status = 'exhausted' AND ended_at > now() - interval '1 day' AND created_at > now() - interval '30 days'`,
  )
  return row!.exhausted
}

const diskCheck = ({ config }: Examined, home: string): Check => ({
  name: 'disk',
  async look() {
    const disk = await readDiskSpace(home, config.CUPEL_DISK_WATERMARK)
    if (disk === null) return [ok('The data is elsewhere.')]
    const free = `${Math.floor(disk.freeBytes / 1_048_576)} MiB are free`
    return [
      disk.isLow
        ? fault(`${free}: new work is refused.`, 'Make room, or lower CUPEL_DISK_WATERMARK.')
        : ok(`${free}.`),
    ]
  },
})
