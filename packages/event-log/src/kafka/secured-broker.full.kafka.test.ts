import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { silentLogger } from '@cupel/contracts'
import { freePort, startKafka, type KafkaJars, type RunningKafka } from '@cupel/local-stack'
import { newKafkaFolder, RECORD_FOLDER, until } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkpointStore, newGroup, subscribeOptions } from '../contract/log-under-test.contract.js'
import { numbered, record, textOf } from '../contract/records.contract.js'
import { GENESIS_TOPIC } from '../genesis.js'
import { LogUnavailableError, type EventLog, type LogRecord, type LogStoppedError } from '../port.js'
import { createAcls, type KafkaAcl } from './acls.js'
import { jarsOrReason, specOf } from './broker-under-test.contract.js'
import { openKafkaLog } from './kafka-log.js'

const jars = await jarsOrReason()
const CASE_TIMEOUT_MS = 240_000
const PASSWORD = 'only-for-this-test'

describe.skipIf(typeof jars === 'string')('Over TLS with a password', { timeout: CASE_TIMEOUT_MS }, () => {
  let folder: string
  let kafka: RunningKafka
  let port: number
  let ca: string
  beforeAll(async () => {
    if (typeof jars === 'string') return
    folder = await newKafkaFolder()
    port = await freePort()
    ca = makeCertificate(folder, jars)
    kafka = await startSecured(folder, jars, port)
  }, CASE_TIMEOUT_MS)
  afterAll(async () => {
    // Undefined if the broker could not be started.
    await (kafka as RunningKafka | undefined)?.stop()
    rmSync(folder, { recursive: true, force: true })
  }, CASE_TIMEOUT_MS)

  const open = (password: string): EventLog =>
    openKafkaLog({
      brokers: `localhost:${port}`,
      clientId: 'secured',
      ssl: { ca: [ca] },
      sasl: { mechanism: 'scram-sha-512', username: 'cupel', password },
    })

  test('everything works as without', async () => {
    const log = open(PASSWORD)
    const topic = 'secured.v1'
    // A broker learns of a new user a moment after its controller.
    await until(async () => void (await log.ensureTopics([specOf(topic)])))
    const [handled, tailed] = [[] as LogRecord[], [] as LogRecord[]]
    const store = checkpointStore(await log.identity())
    await log.tail({
      topic,
      partition: 0,
      onRecords: (records) => tailed.push(...records),
      onStopped: (error) => {
        throw error
      },
    })
    await log.subscribe(
      subscribeOptions({
        group: newGroup(),
        topics: [topic],
        checkpoint: store.load,
        handle: async (batch) => void handled.push(...batch.records),
      }),
    )
    await Promise.all(numbered(50).map((text) => log.append('test', [record(topic, text, { partition: 0 })])))
    await until(() => expect(handled.map(textOf)).toEqual(numbered(50)))
    await until(() => expect(tailed.map(textOf)).toEqual(numbered(50)))
    await log.close()
  })

  test('a changed password and a changed certificate authority count from the next connection on', async () => {
    let [password, trusted] = ['wrong', '']
    const log = openKafkaLog({
      brokers: `localhost:${port}`,
      clientId: 'secured',
      ssl: () => (trusted === '' ? {} : { ca: [trusted] }),
      sasl: { mechanism: 'scram-sha-512', username: 'cupel', password: () => password },
    })
    await expect(log.endOffset('secured.v1', 0)).rejects.toThrow()
    trusted = ca
    await expect(log.endOffset('secured.v1', 0)).rejects.toThrow()
    password = PASSWORD
    expect(await log.endOffset('secured.v1', 0)).toBe(50)
    await log.close()
  })

  test('a token signs in, and an expired one does not', async () => {
    const withTokenFor = (seconds: number): EventLog =>
      openKafkaLog({
        brokers: `localhost:${port}`,
        clientId: 'secured',
        ssl: { ca: [ca] },
        sasl: { mechanism: 'oauthbearer', token: async () => unsignedToken(seconds) },
      })
    const [valid, expired] = [withTokenFor(600), withTokenFor(-600)]
    expect(await valid.endOffset('secured.v1', 0)).toBe(50)
    await expect(expired.endOffset('secured.v1', 0)).rejects.toThrow()
    await Promise.all([valid.close(), expired.close()])
  })

  test('a wrong password stops the subscription with a sentence, and appends are rejected', async () => {
    const log = open('wrong')
    const stops: LogStoppedError[] = []
    await log.subscribe(
      subscribeOptions({
        group: newGroup(),
        topics: ['secured.v1'],
        checkpoint: async () => null,
        onStopped: (error) => stops.push(error),
        handle: async () => undefined,
      }),
    )
    expect(stops.map((each) => each.reason)).toEqual(['crashed'])
    expect(stops[0]!.message).toMatch(/authentication/i)
    await expect(log.append('test', [record('secured.v1', 'a', { partition: 0 })])).rejects.toThrow(
      /did not acknowledge/,
    )
    await log.close()
  })

  test('a password that is wrong for a while, after it was right, stops no subscription', async () => {
    let password = PASSWORD
    const [told, texts, stops] = [[] as string[], [] as string[], [] as LogStoppedError[]]
    const log = openKafkaLog({
      ...{ brokers: `localhost:${port}`, clientId: 'rotated', ssl: { ca: [ca] } },
      sasl: { mechanism: 'scram-sha-512', username: 'cupel', password: () => password },
      logger: { ...silentLogger, error: (_: object, message: string) => void told.push(message) } as never,
    })
    const store = checkpointStore(await log.identity())
    await log.subscribe(
      subscribeOptions({
        group: newGroup(),
        topics: ['secured.v1'],
        checkpoint: store.load,
        onRetry: () => undefined,
        onStopped: (error) => stops.push(error),
        handle: async (batch) => {
          texts.push(...batch.records.map(textOf))
          store.advance(batch)
          return undefined
        },
      }),
    )
    await until(() => expect(texts).toEqual(numbered(50)))
    password = 'wrong'
    await kafka.stop()
    kafka = await startSecured(folder, jars as KafkaJars, port)
    await until(() => expect(told).toContain('Kafka refuses the credentials for now'))
    password = PASSWORD
    await until(
      async () => void (await log.append('test', [record('secured.v1', 'later', { partition: 0 })])),
    )
    await until(() => expect(texts).toContain('later'))
    expect(stops).toEqual([])
    await log.close()
  })
})

/** This client signs in with its certificate, as `CN=limited`, and has the rights that ACLs give it. */
const CLIENT = 'User:CN=limited'

describe.skipIf(typeof jars === 'string')(
  'Over TLS with a certificate of the client',
  { timeout: CASE_TIMEOUT_MS },
  () => {
    let broker: SecuredBroker
    beforeAll(async () => {
      if (typeof jars !== 'string') broker = await startWithClients(jars)
    }, CASE_TIMEOUT_MS)
    afterAll(async () => {
      await (broker as SecuredBroker | undefined)?.stop()
    }, CASE_TIMEOUT_MS)

    const limited = (tls: object = { pfx: broker.clientKeys, passphrase: PASSWORD }): EventLog =>
      openKafkaLog({
        brokers: `localhost:${broker.port}`,
        clientId: 'limited',
        ssl: { ca: [broker.ca], ...tls },
      })
    const allow = async (topic: string, ...operations: KafkaAcl['operation'][]): Promise<void> =>
      await createAcls(
        { ...broker.kafka.access, clientId: 'admin', logger: silentLogger },
        operations.map((operation) => ({
          ...{ principal: CLIENT, resource_type: 'topic', name: topic, pattern: 'literal', operation },
        })),
      )

    test('a denied topic keeps no other one from being written or read, and counts once it is allowed', async () => {
      const [allowed, denied, group] = ['allowed.v1', 'denied.v1', newGroup()]
      const admin = openKafkaLog({ ...broker.kafka.access, clientId: 'admin' })
      await admin.ensureTopics([specOf(allowed), specOf(denied)])
      await admin.append('test', [record(denied, 'of another', { partition: 0 })])
      await allow(GENESIS_TOPIC, 'Read')
      await allow(allowed, 'Read', 'Write')
      await createAcls({ ...broker.kafka.access, clientId: 'admin', logger: silentLogger }, [
        { principal: CLIENT, resource_type: 'group', name: group, pattern: 'literal', operation: 'Read' },
      ])
      const log = limited()
      // A broker learns of new rights a moment after its controller.
      const store = checkpointStore(await until(() => log.identity()))
      await until(() => log.append('test', [record(allowed, 'first', { partition: 0 })]))
      const handled: string[] = []
      const stops: LogStoppedError[] = []
      await log.subscribe(
        subscribeOptions({
          ...{ group, topics: [allowed, denied], checkpoint: store.load },
          onStopped: (error) => stops.push(error),
          handle: async (batch) => void handled.push(...batch.records.map(textOf)),
        }),
      )
      const refused = log
        .append('test', [record(denied, 'refused', { partition: 0 })])
        .catch((error) => error)
      for (const text of numbered(20)) await log.append('test', [record(allowed, text, { partition: 0 })])
      await until(() => expect(handled).toEqual(expect.arrayContaining(numbered(20))))
      expect(handled).not.toContain('of another')
      expect(await refused).toBeInstanceOf(LogUnavailableError)
      expect(stops).toEqual([])
      await allow(denied, 'Read', 'Write')
      await until(() => expect(handled).toContain('of another'))
      await until(() => log.append('test', [record(denied, 'now allowed', { partition: 0 })]))
      await until(() => expect(handled).toContain('now allowed'))
      expect(handled).not.toContain('refused')
      expect(stops).toEqual([])
      await Promise.all([log.close(), admin.close()])
    })

    test('without a certificate, or with one that the broker does not trust, nothing is read', async () => {
      for (const tls of [{}, { pfx: broker.brokerKeys, passphrase: PASSWORD }]) {
        const log = limited(tls)
        await expect(log.endOffset('allowed.v1', 0)).rejects.toThrow()
        await log.close()
      }
    })
  },
)

interface SecuredBroker {
  readonly kafka: RunningKafka
  readonly port: number
  /** The broker's certificate, as PEM. */
  readonly ca: string
  /** In PKCS 12 format, protected with PASSWORD. */
  readonly clientKeys: Buffer
  readonly brokerKeys: Buffer
  stop(): Promise<void>
}

/** A broker whose second listener requires a certificate, and whose ACLs apply to every client but the launcher. */
async function startWithClients(kafkaJars: KafkaJars): Promise<SecuredBroker> {
  const folder = await newKafkaFolder()
  const [localPort, controllerPort, port] = [await freePort(), await freePort(), await freePort()]
  const ca = makeCertificate(folder, kafkaJars)
  makeCertificate(folder, kafkaJars, 'limited')
  const trust = ['-keystore', join(folder, 'trusted.p12'), '-storetype', 'PKCS12', '-storepass', PASSWORD]
  const client = ['-noprompt', '-alias', 'client', '-file', join(folder, 'limited.pem')]
  execFileSync(keytoolOf(kafkaJars), ['-importcert', ...client, ...trust], { stdio: 'ignore' })
  const listeners = `LOCAL://127.0.0.1:${localPort},CLIENTS://localhost:${port}`
  const kafka = await startKafka({
    ...{ jars: kafkaJars, port: localPort, controllerPort },
    folder: join(folder, 'kafka'),
    logFile: join(folder, 'kafka.log'),
    recordFolder: join(folder, RECORD_FOLDER),
    settings: {
      listeners: `${listeners},CONTROLLER://127.0.0.1:${controllerPort}`,
      'advertised.listeners': listeners,
      'listener.security.protocol.map': 'LOCAL:SASL_PLAINTEXT,CONTROLLER:SASL_PLAINTEXT,CLIENTS:SSL',
      'listener.name.clients.ssl.client.auth': 'required',
      'listener.name.clients.ssl.keystore.location': join(folder, 'localhost.p12'),
      'listener.name.clients.ssl.keystore.password': PASSWORD,
      'listener.name.clients.ssl.keystore.type': 'PKCS12',
      'listener.name.clients.ssl.truststore.location': join(folder, 'trusted.p12'),
      'listener.name.clients.ssl.truststore.password': PASSWORD,
      'listener.name.clients.ssl.truststore.type': 'PKCS12',
      'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
      'super.users': 'User:cupel',
    },
  })
  return {
    ...{ kafka, port, ca },
    clientKeys: readFileSync(join(folder, 'limited.p12')),
    brokerKeys: readFileSync(join(folder, 'localhost.p12')),
    async stop() {
      await kafka.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const keytoolOf = ({ java }: KafkaJars): string =>
  java === 'java' ? 'keytool' : join(dirname(java), 'keytool')

function unsignedToken(validSeconds: number): string {
  const now = Math.floor(Date.now() / 1000)
  const part = (claims: object): string => Buffer.from(JSON.stringify(claims)).toString('base64url')
  return `${part({ alg: 'none' })}.${part({ sub: 'cupel', iat: now - 1_000, exp: now + validSeconds })}.`
}

/** Makes a self-signed certificate with that name and stores its key in a PKCS 12 file. Returns the certificate as PEM. */
function makeCertificate(folder: string, kafkaJars: KafkaJars, name = 'localhost'): string {
  const keytool = keytoolOf(kafkaJars)
  const store = [
    ...['-keystore', join(folder, `${name}.p12`), '-storetype', 'PKCS12'],
    ...['-storepass', PASSWORD, '-alias', name],
  ]
  const subject = ['-dname', `CN=${name}`, '-ext', 'san=dns:localhost', '-validity', '2']
  execFileSync(keytool, ['-genkeypair', '-keyalg', 'RSA', ...subject, ...store], { stdio: 'ignore' })
  const file = join(folder, `${name}.pem`)
  execFileSync(keytool, ['-exportcert', '-rfc', '-file', file, ...store], { stdio: 'ignore' })
  return readFileSync(file, 'utf8')
}

/** A broker whose second listener accepts only TLS and SCRAM; the first one serves the launcher. */
async function startSecured(folder: string, kafkaJars: KafkaJars, port: number): Promise<RunningKafka> {
  const [localPort, controllerPort] = [await freePort(), await freePort()]
  const listeners = `LOCAL://127.0.0.1:${localPort},SECURED://localhost:${port}`
  const kafka = await startKafka({
    jars: kafkaJars,
    folder: join(folder, 'kafka'),
    logFile: join(folder, 'kafka.log'),
    recordFolder: join(folder, RECORD_FOLDER),
    port: localPort,
    controllerPort,
    settings: {
      listeners: `${listeners},CONTROLLER://127.0.0.1:${controllerPort}`,
      'advertised.listeners': listeners,
      'listener.security.protocol.map': 'LOCAL:SASL_PLAINTEXT,CONTROLLER:SASL_PLAINTEXT,SECURED:SASL_SSL',
      'listener.name.secured.sasl.enabled.mechanisms': 'SCRAM-SHA-512,OAUTHBEARER',
      // Without its own handler the broker accepts unsigned tokens, and this test makes such tokens.
      'listener.name.secured.oauthbearer.sasl.jaas.config':
        'org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="broker";',
      'listener.name.secured.scram-sha-512.sasl.jaas.config':
        'org.apache.kafka.common.security.scram.ScramLoginModule required;',
      'listener.name.secured.ssl.keystore.location': join(folder, 'localhost.p12'),
      'listener.name.secured.ssl.keystore.password': PASSWORD,
      'listener.name.secured.ssl.keystore.type': 'PKCS12',
    },
  })
  execFileSync(
    kafkaJars.java,
    [
      ...['-cp', join(kafkaJars.kafkaLibs, '*'), 'kafka.admin.ConfigCommand'],
      ...['--bootstrap-server', kafka.access.brokers.join(','), '--command-config', kafka.clientProperties],
      ...['--alter', '--entity-type', 'users', '--entity-name', 'cupel'],
      ...['--add-config', `SCRAM-SHA-512=[password=${PASSWORD}]`],
    ],
    { stdio: 'pipe' },
  )
  return kafka
}
