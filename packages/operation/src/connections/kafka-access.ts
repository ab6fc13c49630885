/** Reads from the settings how this program authenticates to the brokers: TLS, certificate, password or token. */
import { readFileSync } from 'node:fs'
import type { KafkaLogOptions } from '@cupel/event-log/kafka'
import { ConfigError, readSecretFile, type Config } from '@cupel/kit/service'

type TlsOptions = Exclude<NonNullable<KafkaLogOptions['ssl']>, boolean | (() => unknown)>

/**
 * Files are read for each new connection, so that new certificates and passwords are used without a restart. Throws ConfigError if one
 * cannot be read now.
 */
export async function kafkaAccess(
  config: Config,
): Promise<Pick<KafkaLogOptions, 'brokers' | 'topicPrefix' | 'compression' | 'ssl' | 'sasl'>> {
  return {
    brokers: config.CUPEL_KAFKA_BROKERS,
    topicPrefix: config.CUPEL_TOPIC_PREFIX,
    compression: config.CUPEL_KAFKA_COMPRESSION,
    ...tlsOf(config),
    ...(await saslOf(config)),
  }
}

const tlsFiles = {
  ca: 'CUPEL_KAFKA_TLS_CA_FILE',
  cert: 'CUPEL_KAFKA_TLS_CERT_FILE',
  key: 'CUPEL_KAFKA_TLS_KEY_FILE',
} as const

function tlsOf(config: Config): Pick<KafkaLogOptions, 'ssl'> {
  if (!config.CUPEL_KAFKA_TLS) return { ssl: false }
  const read = (): TlsOptions => {
    const options: Record<string, string> = {}
    for (const [name, setting] of Object.entries(tlsFiles)) {
      const path = config[setting]
      if (path !== undefined) options[name] = readOr(setting, () => readFileSync(path, 'utf8'))
    }
    const servername = config.CUPEL_KAFKA_TLS_SERVER_NAME
    return { ...options, ...(servername === undefined ? {} : { servername }) }
  }
  read()
  return { ssl: read }
}

async function saslOf(config: Config): Promise<Pick<KafkaLogOptions, 'sasl'>> {
  const { CUPEL_KAFKA_SASL_MECHANISM: mechanism } = config
  if (mechanism === undefined) return {}
  if (mechanism !== 'oauthbearer')
    return {
      sasl: {
        mechanism,
        username: config.CUPEL_KAFKA_USERNAME ?? '',
        password: rereadSecret(config, 'CUPEL_KAFKA_PASSWORD'),
      },
    }
  const { clientCredentials } = await import('@cupel/kit/oidc')
  const token = clientCredentials({
    tokenUrl: config.CUPEL_KAFKA_OAUTH_TOKEN_URL!,
    clientId: config.CUPEL_KAFKA_OAUTH_CLIENT_ID!,
    clientSecret: rereadSecret(config, 'CUPEL_KAFKA_OAUTH_CLIENT_SECRET'),
    scope: config.CUPEL_KAFKA_OAUTH_SCOPE,
  })
  return { sasl: { mechanism, token } }
}

/** The current secret from its file, or the secret from the settings. */
function rereadSecret(
  config: Config,
  setting: 'CUPEL_KAFKA_PASSWORD' | 'CUPEL_KAFKA_OAUTH_CLIENT_SECRET',
): () => string {
  const path = config[`${setting}_FILE`]
  return () =>
    path === undefined ? (config[setting] ?? '') : readOr(`${setting}_FILE`, () => readSecretFile(path))
}

function readOr(setting: string, read: () => string): string {
  try {
    return read()
  } catch (error) {
    throw new ConfigError(`${setting} cannot be read: ${(error as Error).message}`)
  }
}
