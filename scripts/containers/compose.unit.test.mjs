/** The rules of docker-compose.yml that need no engine: who trusts whom, who sees which secret, who reaches the world. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { root } from '../setup.mjs'
import { foreignImages, imagesIn, unpinnableIn, withoutDigest } from './foreign-images.mjs'
import { secretOf, settingsReadBy } from './read-settings.mjs'

const read = (name) => readFileSync(join(root, name), 'utf8')
const { services, networks, secrets } = parse(read('docker-compose.yml'), { merge: true })
const OF_OPERATORS = ['secrets', 'install', 'cupel']
/** The services of the product, by their images. */
const OWN = Object.keys(services).filter(
  (name) => services[name].image.startsWith('${CUPEL_IMAGES') && !OF_OPERATORS.includes(name),
)
/** The command line is the program of a follower. */
const OF_COMMANDS = ['ledger-follower']
const mountsOf = (name) =>
  (services[name].volumes ?? []).filter((each) => each.includes(':/secrets/')).map((each) => each.split(':'))
const networksOf = ({ networks: named }) => (Array.isArray(named) ? named : Object.keys(named ?? {}))

/** Every file that make-secrets.mjs makes, as folder/name. */
const made = [
  ...readFileSync(join(root, 'deploy/images/make-secrets.mjs'), 'utf8').matchAll(
    /\bkeep[s]?\(\s*['`]([^'`]+)['`]|\bkeys\(\s*'([^']+)'/g,
  ),
].flatMap(([, kept, keys]) => [
  ...new Set(OWN.filter((name) => name !== 'web').map((name) => (kept ?? keys).replace('${service}', name))),
])

test('a proxy that may say for whom it calls is one address, which no other container can get', () => {
  const trusted = OWN.flatMap(
    (name) => services[name].environment.CUPEL_TRUSTED_PROXIES?.split(/,(?=\$)/) ?? [],
  )
  expect(trusted).toHaveLength(3)
  for (const one of trusted) expect(one).toMatch(/\.\d+\/32$/)
  const [{ ip_range: range, gateway }] = networks.edge.ipam.config
  expect(range).toMatch(/\.128\/25$/)
  expect(gateway).toMatch(/\.1$/)
  expect(services.web.networks.edge.ipv4_address).toMatch(/\.2$/)
})

test('a service is given no secret and no file that its program does not read', () => {
  const isFile = (value) => String(value).startsWith('/')
  for (const name of OWN) {
    const read = settingsReadBy(OF_COMMANDS.includes(name) ? 'cli' : name)
    const given = Object.entries(services[name].environment).filter(([, value]) => isFile(value))
    expect(given.length, name).toBeGreaterThan(0)
    for (const [setting] of given) expect(read, `${name} ${setting}`).toContain(secretOf(setting))
  }
  expect(settingsReadBy('web')).not.toContain('CUPEL_DATABASE_URL')
  expect(settingsReadBy('scorer')).not.toContain('CUPEL_WEB_SECRET')
  expect(settingsReadBy('label-refresher')).toContain('CUPEL_LABEL_REFRESH')
  expect(settingsReadBy('projector')).not.toContain('CUPEL_LABEL_REFRESH')
})

test('no service asks the registry of schemas: whoever changes a schema there changes no answer', () => {
  expect(settingsReadBy('cli')).toContain('CUPEL_REGISTRY_URL')
  for (const name of OWN) {
    if (!OF_COMMANDS.includes(name)) expect(settingsReadBy(name), name).not.toContain('CUPEL_REGISTRY_URL')
    expect(services[name].environment, name).not.toHaveProperty('CUPEL_REGISTRY_URL')
  }
})

/** Why a container of an image that is not built here writes to more than its volumes. */
const WRITES = {
  postgres: 'its socket and lock are in /var/run',
  kafka: 'its start writes its settings next to its program',
  'kafka-2': 'as kafka',
  'kafka-3': 'as kafka',
  registry: 'its runtime unpacks libraries',
  grafana: 'its start writes plugins and caches',
}

test('a container has no right, no privilege, no folder of this machine to write to, and limits', () => {
  for (const [name, service] of Object.entries(services)) {
    expect(service.cap_drop, name).toEqual(['ALL'])
    expect(service.security_opt, name).toEqual(['no-new-privileges:true'])
    expect(service.cap_add, name).toEqual(
      name === 'postgres' ? ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID'] : undefined,
    )
    for (const key of ['privileged', 'user', 'pid', 'ipc', 'userns_mode', 'devices', 'extra_hosts'])
      expect(service, name).not.toHaveProperty(key)
    expect(service.read_only, name).toBe(name in WRITES ? undefined : true)
    for (const volume of service.volumes ?? [])
      if (/^[./~]/.test(volume)) expect(volume, name).toMatch(/^\.\/deploy\/.+:ro$/)
    expect(service.logging.options, name).toHaveProperty('max-size')
    if (service.restart !== 'unless-stopped') continue
    expect(Object.keys(service.deploy.resources.limits).sort(), name).toEqual(['cpus', 'memory', 'pids'])
  }
})

test('every image that is built here runs as a user without rights', () => {
  const stages = readFileSync(join(root, 'Dockerfile'), 'utf8')
    .split(/^(?=FROM )/m)
    .map((text) => ({ text, named: /^FROM (\S+) AS (\S+)/.exec(text) }))
  const userOf = (name) => {
    const stage = stages.find(({ named }) => named?.[2] === name)
    if (stage === undefined) return undefined
    return /^USER (\S+)/m.exec(stage.text)?.[1] ?? userOf(stage.named?.[1])
  }
  const targets = Object.values(services).flatMap(({ build }) => build?.target ?? [])
  expect(targets).toEqual(
    expect.arrayContaining(OWN.map((name) => (OF_COMMANDS.includes(name) ? 'cupel' : name))),
  )
  for (const target of targets) expect(userOf(target), target).toBe('10001:10001')
})

test('a service sees no secret that none of its settings names', () => {
  expect(made.length).toBeGreaterThan(10)
  for (const name of OWN) {
    const named = Object.values(services[name].environment).map(String)
    const seen = mountsOf(name).flatMap(([, folder]) =>
      made.filter((file) => `/secrets/${file}`.startsWith(`${folder}/`)).map((file) => `/secrets/${file}`),
    )
    expect(seen.length, name).toBeGreaterThan(0)
    for (const file of seen) expect(named, `${name} sees ${file}`).toContain(file)
    for (const [, , mode] of mountsOf(name)) expect(mode, name).toBe('ro')
  }
})

test('the image has a folder of its user for each volume of secrets: a volume takes the rights of the folder', () => {
  const foundation = readFileSync(join(root, 'deploy/images/foundation.sh'), 'utf8')
  const readers = /for reader in ([a-z -]+);/.exec(foundation)?.[1] ?? ''
  const mounted = mountsOf('secrets').map(([, folder]) => folder.replace('/secrets/', ''))
  expect(readers.split(' ').sort()).toEqual(mounted.sort())
})

test('each service has a user of its own at the broker, which takes no other and grants nothing by itself', () => {
  const { environment } = services.kafka
  expect(environment.KAFKA_AUTHORIZER_CLASS_NAME).toMatch(/\.StandardAuthorizer$/)
  expect(environment.KAFKA_SUPER_USERS).toBe('User:cupel')
  expect(environment).not.toHaveProperty('KAFKA_ALLOW_EVERYONE_IF_NO_ACL_FOUND')
  expect(services.install.command).toEqual(['install', '--grant-rights'])
  const login = environment.KAFKA_LISTENER_NAME_CLIENT_PLAIN_SASL_JAAS_CONFIG
  const users = [
    ...login.matchAll(/user_([\w-]+)="\$\$\{file:\/secrets\/kafka\/kafka\.properties:([\w-]+)\}"/g),
  ]
  for (const [, user, password] of users) expect(password).toBe(user)
  const withLog = OWN.filter((name) => name !== 'web')
  expect(users.map(([, user]) => user).sort()).toEqual(
    ['cupel', ...withLog.map((name) => `cupel-${name}`)].sort(),
  )
  for (const name of withLog) {
    const { CUPEL_KAFKA_USERNAME: user, CUPEL_KAFKA_PASSWORD_FILE: file } = services[name].environment
    expect([user, file]).toEqual([`cupel-${name}`, `/secrets/${name}/kafka-password`])
  }
  for (const name of ['install', 'cupel'])
    expect(services[name].environment.CUPEL_KAFKA_USERNAME, name).toBe('cupel')
})

test('several containers of a service can run: each takes a free number', () => {
  for (const name of OWN.filter((name) => name !== 'web'))
    expect(services[name].environment.CUPEL_INSTANCE, name).toBe('auto')
})

test('whoever appends to public topics signs with the key of the log', () => {
  const file = '/secrets/signing/signing-keys.json'
  expect(made).toContain(file.replace('/secrets/', ''))
  for (const name of ['api', 'scorer', 'bulk-coordinator', 'projector', 'install', 'cupel'])
    expect(services[name].environment.CUPEL_SIGNING_KEYS_FILE, name).toBe(file)
})

test('a build takes the authority of a proxy from a file, and needs none', () => {
  expect(secrets).toEqual({ ca: { file: '${BUILD_CA_FILE:-/dev/null}' } })
  const built = Object.keys(services).filter((name) => services[name].build !== undefined)
  expect(built).toEqual(expect.arrayContaining(OWN))
  for (const name of built) expect(services[name].build.secrets, name).toEqual(['ca'])
  expect(read('Dockerfile')).toContain('--mount=type=secret,id=ca NODE_EXTRA_CA_CERTS=/run/secrets/ca')
})

test('each service has a user of its own in the database, and sees the password of no other', () => {
  const users = OWN.filter((name) => name !== 'web')
  expect(new Set(users.map((name) => services[name].environment.CUPEL_DATABASE_URL_FILE)).size).toBe(
    users.length,
  )
  for (const name of OWN)
    expect(
      mountsOf(name).map(([volume]) => volume),
      name,
    ).not.toContain('secrets-operator')
})

/** A password, or a URL with one. */
const SECRET = /(?:password|user_[\w-]+)="?[^"\s]|:\/\/[^/\s]*@/i
const withoutPlaces = (value) => String(value).replaceAll(/\$\$\{file:[^}]+\}/g, '')

test('every secret that is made is read by somebody, and none is in a variable', () => {
  const text =
    readFileSync(join(root, 'docker-compose.yml'), 'utf8') +
    readFileSync(join(root, 'deploy/images/make-secrets.mjs'), 'utf8')
  for (const file of made) expect(text.split(file.split('/')[1]).length, file).toBeGreaterThan(1)
  for (const [name, { environment = {} }] of Object.entries(services))
    for (const [setting, value] of Object.entries(environment)) {
      if (/(?:PASSWORD|SECRET|TOKEN|KEY)$/.test(setting)) expect(value, `${name} ${setting}`).toBeUndefined()
      // The brokers' own settings name places in files.
      if (!/_FILE$/.test(setting)) expect(withoutPlaces(value), `${name} ${setting}`).not.toMatch(SECRET)
    }
})

test('only services that call others reach another machine, and the data is on a network that nobody outside reaches', () => {
  expect(networks.data.internal).toBe(true)
  const on = (network) =>
    Object.keys(services)
      .filter((name) => networksOf(services[name]).includes(network))
      .sort()
  expect(on('outside')).toEqual(['label-refresher', 'ledger-follower', 'webhook-dispatcher'])
  expect(networks.edge.driver_opts['com.docker.network.bridge.enable_ip_masquerade']).toBe('false')
  expect(on('edge')).toEqual(['api', 'grafana', 'prometheus', 'web'])
  expect(networksOf(services.web)).toEqual(['edge'])
  for (const [name, { ports = [] }] of Object.entries(services))
    for (const port of ports) expect(port, name).toMatch(/^127\.0\.0\.1:/)
})

test('the file for histories gives the scorer a volume of its user, its settings and the way out, and nobody else', () => {
  const file = 'deploy/compose/histories.yaml'
  const added = parse(readFileSync(join(root, file), 'utf8'))
  expect(Object.keys(added.services).sort()).toEqual(['cupel', 'install', 'scorer'])
  const { scorer, install, cupel } = added.services
  const settings = ['CUPEL_HISTORIES', 'CUPEL_HISTORY_FOLDER', 'CUPEL_CHAIN_DATA_FILE']
  expect(Object.keys(scorer.environment)).toEqual(settings)
  for (const setting of settings) expect(settingsReadBy('scorer'), setting).toContain(secretOf(setting))
  // Compose adds lists and maps to those of the other file.
  expect(scorer.networks).toEqual([...networksOf(services.scorer), 'outside'])
  expect(networks).toHaveProperty('outside')
  expect(install).toEqual({ environment: { CUPEL_HISTORIES: 'true' } })
  const [[volume, folder]] = scorer.volumes.slice(-1).map((each) => each.split(':'))
  expect(Object.keys(added.volumes)).toEqual([volume])
  expect(scorer.environment.CUPEL_HISTORY_FOLDER.startsWith(`${folder}/`)).toBe(true)
  expect(readFileSync(join(root, 'deploy/images/foundation.sh'), 'utf8')).toContain(
    `mkdir -p "$owned${folder}"`,
  )
  expect(cupel.volumes).toEqual([`${volume}:/histories:ro`])
  for (const page of ['.env.example', 'docs/chain.md'])
    expect(readFileSync(join(root, page), 'utf8')).toContain(`COMPOSE_FILE=docker-compose.yml:${file}`)
})

test('the file for ClickHouse gives its address and its network to every service that reads the ledger', () => {
  const file = 'deploy/compose/clickhouse.yaml'
  const added = parse(readFileSync(join(root, file), 'utf8'))
  const onLog = Object.keys(services).filter((name) => services[name].environment?.CUPEL_LOG === 'kafka')
  expect(Object.keys(added.services).sort()).toEqual(onLog.sort())
  for (const [name, each] of Object.entries(added.services)) {
    expect(Object.keys(each.environment), name).toEqual(['CUPEL_LEDGER_URL_FILE', 'CUPEL_LEDGER_INSECURE'])
    expect(each.networks, name).toEqual(['data', 'ledger'])
    expect(networksOf(services[name]), name).toContain('data')
    expect(
      each.volumes.map((one) => one.split(':').slice(-2)),
      name,
    ).toEqual([['/ledger-url', 'ro']])
  }
  expect(added.networks.ledger.external).toBe(true)
  for (const page of ['.env.example', 'docs/ledger.md'])
    expect(readFileSync(join(root, page), 'utf8')).toContain(`COMPOSE_FILE=docker-compose.yml:${file}`)
})

/**
 * Images whose digest nobody has read yet, because no registry of images was within reach. `node scripts/containers/foreign-images.mjs --pin`
 * reads them, and then this list is empty.
 */
const UNREAD = [
  'apache/kafka:4.3.1',
  'postgres:17.6-trixie',
  'apicurio/apicurio-registry:3.0.9',
  'prom/prometheus:v3.5.0',
  'grafana/grafana:12.1.1',
  'node:24.22.3-trixie-slim',
]

test('every image that is not built here has one digest, in deployments and in tests', () => {
  const images = foreignImages()
  for (const { image } of Object.values(services))
    if (!image.startsWith('${CUPEL_IMAGES'))
      expect(
        images.some(({ name }) => image.includes(name)),
        image,
      ).toBe(true)
  expect(withoutDigest().sort()).toEqual([...UNREAD].sort())
  if (UNREAD.length > 0) console.warn(`No digest was read of ${UNREAD.join(', ')}`)
  for (const { name } of images)
    expect(new Set(images.filter((one) => one.name === name).map(({ digest }) => digest)).size, name).toBe(1)
})

test('no file of a deployment names an image where nobody pins it, or without the number of a version', () => {
  const stages = [
    'scratch',
    ...[...read('Dockerfile').matchAll(/^FROM .* AS (\S+)/gm)].map(([, name]) => name),
  ]
  const files = execFileSync('git', ['ls-files', '*.yml', '*.yaml', '*Dockerfile*', '.env*', 'deploy/*'], {
    cwd: root,
    encoding: 'utf8',
  })
  const named = files.trim().split('\n')
  expect(named).toEqual(
    expect.arrayContaining(['docker-compose.yml', 'Dockerfile', 'deploy/helm/cupel/values.yaml']),
  )
  expect(named.flatMap((file) => unpinnableIn(file, read(file), stages))).toEqual([])
  for (const line of [
    '    image: redis',
    '  - image: "redis:latest"',
    'FROM node:latest AS x',
    'ARG NODE_IMAGE=node',
  ])
    expect(unpinnableIn('docker-compose.yml', line, stages), line).toHaveLength(1)
  expect(unpinnableIn('deploy/new.yaml', 'image: redis:7.4.1', stages)).toHaveLength(1)
})

test('an image is found by its name and tag, with and without a digest, and a version is not an image', () => {
  const digest = `@sha256:${'a'.repeat(64)}`
  const text = `  image: \${X_IMAGE:-some.host/a/b-c:v3.5.0${digest}}\nARG NODE_IMAGE=node:24.1-slim\nconst IMAGES = { kafka: 'apache/kafka:4.3.1' }\nVERSION: 1:2\nimage: \${CUPEL_IMAGES:-cupel}/api:\${CUPEL_VERSION:-0.2.0-dev}`
  expect(imagesIn(text)).toEqual([
    { name: 'some.host/a/b-c:v3.5.0', digest },
    { name: 'node:24.1-slim', digest: null },
    { name: 'apache/kafka:4.3.1', digest: null },
  ])
})
