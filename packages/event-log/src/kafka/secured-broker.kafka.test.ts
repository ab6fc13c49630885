import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { freePort, startKafka, type KafkaJars, type RunningKafka } from '@cupel/local-stack'
import { newKafkaFolder, RECORD_FOLDER } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkpointStore, newGroup, subscribeOptions, until } from '../contract/log-under-test.contract.js'
import { numbered, record, textOf } from '../contract/records.contract.js'
import type { EventLog, LogRecord, LogStoppedError } from '../port.js'
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
    // Undefined where it could not be started.
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
    // A broker knows a new user a moment after its controller does.
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
})

function unsignedToken(validSeconds: number): string {
  const now = Math.floor(Date.now() / 1000)
  const part = (claims: object): string => Buffer.from(JSON.stringify(claims)).toString('base64url')
  return `${part({ alg: 'none' })}.${part({ sub: 'cupel', iat: now - 1_000, exp: now + validSeconds })}.`
}

/** A certificate for localhost that signs itself; returns it as PEM. */
function makeCertificate(folder: string, { java }: KafkaJars): string {
  const keytool = java === 'java' ? 'keytool' : join(dirname(java), 'keytool')
  const store = [
    '-keystore',
    join(folder, 'keys.p12'),
    '-storetype',
    'PKCS12',
    '-storepass',
    PASSWORD,
    '-alias',
    'broker',
  ]
  const make = [
    '-genkeypair',
    '-keyalg',
    'RSA',
    '-dname',
    'CN=localhost',
    '-ext',
    'san=dns:localhost',
    '-validity',
    '2',
  ]
  execFileSync(keytool, [...make, ...store], { stdio: 'ignore' })
  const file = join(folder, 'broker.pem')
  execFileSync(keytool, ['-exportcert', '-rfc', '-file', file, ...store], { stdio: 'ignore' })
  return readFileSync(file, 'utf8')
}

/** A broker with a second listener that takes TLS and SCRAM alone; the first one serves the launcher. */
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
      // Without a handler of its own the broker believes unsigned tokens, which is what this test makes.
      'listener.name.secured.oauthbearer.sasl.jaas.config':
        'org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="broker";',
      'listener.name.secured.scram-sha-512.sasl.jaas.config':
        'org.apache.kafka.common.security.scram.ScramLoginModule required;',
      'listener.name.secured.ssl.keystore.location': join(folder, 'keys.p12'),
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
