/** The password of a local broker: random, kept in a file that only its owner can read, and required on every listener. */
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { keptPassword } from './folder.js'

/** Data that a client needs to connect to a local broker. */
export interface KafkaAccess {
  /** Bootstrap addresses, `host:port`. */
  readonly brokers: readonly string[]
  readonly sasl: KafkaCredentials
}

export interface KafkaCredentials {
  readonly mechanism: 'plain'
  readonly username: string
  readonly password: string
}

const USER = 'cupel'
const MODULE = 'org.apache.kafka.common.security.plain.PlainLoginModule required'

/** The credentials of the broker of this folder; made if there are none. */
export async function kafkaCredentials(folder: string): Promise<KafkaCredentials> {
  return { mechanism: 'plain', username: USER, password: await keptPassword(join(folder, 'password')) }
}

/** The login of the broker, which is its own client too. Source: Apache Kafka documentation, "Configuring Kafka Brokers" for SASL/PLAIN. */
export function brokerLogin({ username, password }: KafkaCredentials): string {
  return `${MODULE} username="${username}" password="${password}" user_${username}="${password}";`
}

/** Settings for Kafka's own tools, as `--command-config`. Returns the file. */
export async function writeClientProperties(folder: string, { sasl }: KafkaAccess): Promise<string> {
  const file = join(folder, 'client.properties')
  await writeSecret(
    file,
    `security.protocol=SASL_PLAINTEXT
sasl.mechanism=PLAIN
sasl.jaas.config=${MODULE} username="${sasl.username}" password="${sasl.password}";
`,
  )
  return file
}

/** A file of an earlier release may be open to others, and keeps its mode while it is overwritten. */
export async function writeSecret(file: string, content: string): Promise<void> {
  await rm(file, { force: true })
  await writeFile(file, content, { mode: 0o600 })
}
