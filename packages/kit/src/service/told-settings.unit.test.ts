import { expect, test } from 'vitest'
import { settings } from './config.js'
import { toldSettings } from './told-settings.js'

const told = (environment: Record<string, string>) => toldSettings(environment).filter(({ isSet }) => isSet)

test('of a secret only that it is set', () => {
  const secrets = [
    'CUPEL_KAFKA_PASSWORD',
    'CUPEL_WEB_SECRET',
    'CUPEL_WEBHOOK_SECRETS_KEY',
    'CUPEL_REGISTRY_TOKEN',
  ]
  for (const name of secrets)
    expect(told({ [name]: 'not for others' })).toEqual([{ name, isSet: true, value: null }])
})

test('no text that may hold anything is told, but places and names that are known to be none', () => {
  const everything = Object.fromEntries(Object.keys(settings).map((name) => [name, 'not for others']))
  const shown = told(everything).flatMap(({ name, value }) => (value === null ? [] : [name]))
  expect(shown.filter((name) => /(PASSWORD|SECRET|TOKEN|KEY|USERNAME|URL)$/.test(name))).toEqual([])
})

test('of a URL only where it leads to', () => {
  expect(
    told({
      CUPEL_DATABASE_URL: 'postgres://me:pa55@db.example:5432/x?password=y',
      CUPEL_BASE_URL: 'me:pa55',
    }),
  ).toEqual([
    { name: 'CUPEL_DATABASE_URL', isSet: true, value: 'postgres://db.example:5432' },
    { name: 'CUPEL_BASE_URL', isSet: true, value: null },
  ])
})

test('numbers, choices, files and hosts are told', () => {
  const given = {
    CUPEL_LOG: 'kafka',
    CUPEL_KAFKA_BROKERS: 'k1:9092',
    CUPEL_KAFKA_TLS: 'true',
    CUPEL_KAFKA_PASSWORD_FILE: '/run/secrets/kafka',
    CUPEL_PORT: '8080',
    CUPEL_LOG_LEVEL: 'info',
  }
  expect(Object.fromEntries(told(given).map(({ name, value }) => [name, value]))).toEqual(given)
})

test('what is not set is said too', () => {
  expect(toldSettings({})).toHaveLength(Object.keys(settings).length)
})
