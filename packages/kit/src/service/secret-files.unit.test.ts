import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { loadConfig, settings } from './config.js'

const folder = mkdtempSync(join(tmpdir(), 'cupel-secrets-'))
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const faultsOf = (environment: Record<string, string>): string => {
  try {
    loadConfig(environment)
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

test('a secret comes from the file that a setting names', () => {
  const config = loadConfig({
    CUPEL_DATABASE_URL_FILE: file('url', 'postgres://cupel:SECRET@127.0.0.1/cupel\n'),
    CUPEL_REGISTRY_TOKEN_FILE: file('token', ' TOKEN \n'),
  })
  expect(config.CUPEL_DATABASE_URL).toBe('postgres://cupel:SECRET@127.0.0.1/cupel')
  expect(config.CUPEL_REGISTRY_TOKEN).toBe('TOKEN')
})

test('a file that cannot be read, an empty one and a secret that is given twice are refused without the secret', () => {
  expect(faultsOf({ CUPEL_KAFKA_PASSWORD_FILE: join(folder, 'absent') })).toMatch(
    /^CUPEL_KAFKA_PASSWORD_FILE cannot be read: ENOENT/,
  )
  expect(faultsOf({ CUPEL_KAFKA_PASSWORD_FILE: file('empty', '\n') })).toMatch(/is empty$/)
  const twice = faultsOf({ CUPEL_KAFKA_PASSWORD_FILE: file('one', 'SECRET'), CUPEL_KAFKA_PASSWORD: 'SECRET' })
  expect(twice).toBe('CUPEL_KAFKA_PASSWORD and CUPEL_KAFKA_PASSWORD_FILE are not set together.')
})

test.each([
  ['plain', ['CUPEL_KAFKA_USERNAME', 'CUPEL_KAFKA_PASSWORD']],
  ['scram-sha-512', ['CUPEL_KAFKA_USERNAME', 'CUPEL_KAFKA_PASSWORD']],
  [
    'oauthbearer',
    ['CUPEL_KAFKA_OAUTH_TOKEN_URL', 'CUPEL_KAFKA_OAUTH_CLIENT_ID', 'CUPEL_KAFKA_OAUTH_CLIENT_SECRET'],
  ],
])('a sign-in by %s needs %j', (mechanism, names) => {
  const sentences = faultsOf({
    CUPEL_LOG: 'kafka',
    CUPEL_KAFKA_BROKERS: 'localhost:9092',
    CUPEL_KAFKA_SASL_MECHANISM: mechanism,
  }).split('\n')
  expect(sentences).toEqual(
    names.map((name) => `${name} is required where CUPEL_KAFKA_SASL_MECHANISM=${mechanism}.`),
  )
})

test('a certificate of this client comes with its key', () => {
  const settings = { CUPEL_LOG: 'kafka', CUPEL_KAFKA_BROKERS: 'b:1', CUPEL_KAFKA_TLS_CERT_FILE: '/c.pem' }
  expect(faultsOf(settings)).toContain('set together or not at all')
})

test('every secret can come from a file, so that no deployment has to show one in a variable', () => {
  const secrets = Object.keys(settings).filter((name) =>
    /(?:PASSWORD|SECRET|TOKEN|SECRETS_KEY|HEADERS)$/.test(name),
  )
  expect(secrets.length).toBeGreaterThan(5)
  expect(secrets.filter((name) => !(`${name}_FILE` in settings))).toEqual([])
})
