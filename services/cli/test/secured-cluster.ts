/** A Postgres, a secured broker and a secured registry that exist before the installation; `cupel start` starts none of them. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { request } from 'node:http'
import { dirname, join } from 'node:path'
import type { AddressInfo } from 'node:net'
import {
  freePort,
  startKafka,
  startPostgres,
  startRegistry,
  type KafkaJars,
  type RunningKafka,
} from '@cupel/local-stack'

export const PASSWORD = 'only-for-this-test'

export interface SecuredCluster {
  readonly databaseUrl: string
  readonly kafka: RunningKafka
  /** Requires TLS and a password; an authorizer refuses everything that no ACL allows. */
  readonly brokers: string
  /** Requires TLS and a password. */
  readonly registryUrl: string
  /** Certificate authority of brokers and registry. */
  readonly caFile: string
  readonly passwordFile: string
  /** Changes a setting of a topic, as an administrator of the cluster would. */
  alterTopic(name: string, setting: string): void
  stop(): Promise<void>
}

/** `users` sign in with PASSWORD by SASL PLAIN; the last one can also use SCRAM. */
export async function startSecuredCluster(
  folder: string,
  jars: KafkaJars,
  users: readonly string[],
): Promise<SecuredCluster> {
  const recordFolder = join(folder, 'processes')
  const logFile = (name: string): string => join(folder, `${name}.log`)
  mkdirSync(recordFolder, { recursive: true })
  const caFile = makeCertificate(folder, jars)
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, `${PASSWORD}\n`, { mode: 0o600 })
  const postgres = await startPostgres({
    folder: join(folder, 'postgres'),
    logFile: logFile('postgres'),
    recordFolder,
  })
  const secured = await freePort()
  const [kafka, registry] = await Promise.all([
    startBroker(folder, jars, secured, users),
    startRegistry({ jars, folder: join(folder, 'registry'), logFile: logFile('registry'), recordFolder }),
  ])
  const proxy = await startProxy(folder, registry.port)
  const configure = (...args: string[]): void =>
    void execFileSync(
      jars.java,
      [
        ...['-XX:TieredStopAtLevel=1', '-cp', join(jars.kafkaLibs, '*'), 'kafka.admin.ConfigCommand'],
        ...['--bootstrap-server', kafka.access.brokers.join(','), '--command-config', kafka.clientProperties],
        ...['--alter', ...args],
      ],
      { stdio: 'pipe' },
    )
  // As the page for an installation says: no password is among the arguments of a process.
  const scram = join(folder, 'scram.properties')
  writeFileSync(scram, `SCRAM-SHA-512=password=${PASSWORD}\n`, { mode: 0o600 })
  configure('--entity-type', 'users', '--entity-name', users.at(-1)!, '--add-config-file', scram)
  return {
    ...{ kafka, caFile, passwordFile },
    databaseUrl: await postgres.ensureDatabase('elsewhere'),
    brokers: `localhost:${secured}`,
    registryUrl: `https://localhost:${proxy.port}/apis/ccompat/v7`,
    alterTopic: (name, setting) =>
      configure('--entity-type', 'topics', '--entity-name', name, '--add-config', setting),
    async stop() {
      await proxy.close()
      await registry.stop()
      await kafka.stop()
      await postgres.stop()
    },
  }
}

/** Creates a self-signed certificate for localhost, which ends later than `cupel doctor` warns; returns its file. */
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
    'own',
  ]
  const subject = ['-dname', 'CN=localhost', '-ext', 'san=dns:localhost', '-validity', '30']
  execFileSync(keytool, ['-genkeypair', '-keyalg', 'RSA', ...subject, ...store], { stdio: 'ignore' })
  const file = join(folder, 'ca.pem')
  execFileSync(keytool, ['-exportcert', '-rfc', '-file', file, ...store], { stdio: 'ignore' })
  return file
}

async function startBroker(
  folder: string,
  jars: KafkaJars,
  port: number,
  users: readonly string[],
): Promise<RunningKafka> {
  const [localPort, controllerPort] = [await freePort(), await freePort()]
  const listeners = `LOCAL://127.0.0.1:${localPort},SECURED://localhost:${port}`
  const logins = users.map((user) => `user_${user}="${PASSWORD}"`).join(' ')
  return await startKafka({
    ...{ jars, port: localPort, controllerPort },
    folder: join(folder, 'kafka'),
    logFile: join(folder, 'kafka.log'),
    recordFolder: join(folder, 'processes'),
    settings: {
      listeners: `${listeners},CONTROLLER://127.0.0.1:${controllerPort}`,
      'advertised.listeners': listeners,
      'listener.security.protocol.map': 'LOCAL:SASL_PLAINTEXT,CONTROLLER:SASL_PLAINTEXT,SECURED:SASL_SSL',
      'listener.name.secured.sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-512',
      'listener.name.secured.plain.sasl.jaas.config': `org.apache.kafka.common.security.plain.PlainLoginModule required ${logins};`,
      'listener.name.secured.scram-sha-512.sasl.jaas.config':
        'org.apache.kafka.common.security.scram.ScramLoginModule required;',
      'listener.name.secured.ssl.keystore.location': join(folder, 'keys.p12'),
      'listener.name.secured.ssl.keystore.password': PASSWORD,
      'listener.name.secured.ssl.keystore.type': 'PKCS12',
    },
  })
}

/** Puts TLS and a password in front of the registry, as a gateway would. */
async function startProxy(
  folder: string,
  registryPort: number,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const expected = `Basic ${Buffer.from(`registrar:${PASSWORD}`).toString('base64')}`
  const pfx = readFileSync(join(folder, 'keys.p12'))
  const server = createServer({ pfx, passphrase: PASSWORD }, (incoming, outgoing) => {
    if (incoming.headers.authorization !== expected) {
      outgoing.writeHead(401).end()
      return
    }
    delete incoming.headers.authorization
    const { url: path, method, headers } = incoming
    const onward = request({ host: '127.0.0.1', port: registryPort, path, method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
