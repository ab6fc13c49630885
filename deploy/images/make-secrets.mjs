// Makes the secrets of a compose project, each once: node make-secrets.mjs. A file that exists stays, so that it can run at every start.
// Every folder below /secrets is a volume that only its readers mount.
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const SECRETS = process.env.CUPEL_SECRETS_FOLDER ?? '/secrets'
const CUPEL = '/app/services/cli/dist/main.js'
const RANDOM_BYTES = 32
/** Each has a user of its own in the database. */
const SERVICES = [
  ...['api', 'scorer', 'projector', 'bulk-coordinator', 'webhook-dispatcher', 'label-refresher'],
  'ledger-follower',
]
/** Postgres, Kafka and the registry run as users of their own: only these read the volume, and it is mounted for reading. */
const FOREIGN_READER = 0o444
const OWN_READER = 0o400

const random = () => randomBytes(RANDOM_BYTES).toString('base64url')

const owner = keep('operator/postgres-password', random)
const registry = keep('operator/registry-password', random)
/** Users at the brokers. `cupel` is the brokers' own user and that of operators; each service has rights of its own. */
const kafkaUsers = {
  cupel: keep('operator/kafka-password', random),
  'cupel-api': keep('api/kafka-password', random),
  'cupel-scorer': keep('scorer/kafka-password', random),
  'cupel-projector': keep('projector/kafka-password', random),
  'cupel-bulk-coordinator': keep('bulk-coordinator/kafka-password', random),
  'cupel-webhook-dispatcher': keep('webhook-dispatcher/kafka-password', random),
  'cupel-label-refresher': keep('label-refresher/kafka-password', random),
  'cupel-ledger-follower': keep('ledger-follower/kafka-password', random),
}

keep('postgres/password', () => owner, { mode: FOREIGN_READER })
keep(
  'initdb/registry.sql',
  () => `CREATE ROLE registry LOGIN PASSWORD '${registry}';\nCREATE DATABASE registry OWNER registry;`,
  { mode: FOREIGN_READER },
)
keep('registry/registry.properties', () => `config_ordinal=500\napicurio.datasource.password=${registry}`, {
  mode: FOREIGN_READER,
})
keep('grafana/password', random, { mode: FOREIGN_READER })
keep(
  'kafka/kafka.properties',
  () =>
    Object.entries(kafkaUsers)
      .map(([user, password]) => `${user}=${password}`)
      .join('\n'),
  {
    mode: FOREIGN_READER,
    isKept: (content) => Object.keys(kafkaUsers).every((user) => content.includes(`${user}=`)),
  },
)
keep('operator/admin-url', () => `postgresql://cupel:${owner}@postgres:5432/cupel`)
for (const service of SERVICES) {
  const url = keep(
    `operator/database-urls/${service}`,
    () => `postgresql://cupel-${service}:${random()}@postgres:5432/cupel`,
  )
  keep(`${service}/database-url`, () => url)
}
const web = keep('web/web-secret', random)
keep('api/web-secret', () => web)
keys('services/record-keys.json', 'CUPEL_RECORD_KEYS_FILE', 'log', 'add-key')
keys('signing/signing-keys.json', 'CUPEL_SIGNING_KEYS_FILE', 'log', 'rotate-signing-key')
keys(
  'personal-data/personal-data-keys.json',
  'CUPEL_PERSONAL_DATA_KEYS_FILE',
  'accounts',
  'make-personal-data-key',
)

/** The content of the file, which is written whole where it does not exist, or where a version with further users began. */
function keep(name, make, { mode = OWN_READER, isKept = () => true } = {}) {
  const file = join(SECRETS, name)
  const kept = existsSync(file) ? readFileSync(file, 'utf8').trim() : null
  if (kept !== null && isKept(kept)) return kept
  mkdirSync(dirname(file), { recursive: true })
  const content = make()
  writeFileSync(`${file}.draft`, `${content}\n`, { mode })
  renameSync(`${file}.draft`, file)
  return content
}

/** Files of keys are made by the command that knows their form. */
function keys(name, setting, ...command) {
  const file = join(SECRETS, name)
  if (existsSync(file)) return
  execFileSync(process.execPath, [CUPEL, ...command], {
    env: { ...process.env, [setting]: file, CUPEL_CHECKPOINT_FOLDER: '/checkpoints' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}
