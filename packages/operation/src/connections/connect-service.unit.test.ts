import { loadConfig } from '@cupel/kit/service'
import { expect, test } from 'vitest'
import { requireVerifiedConnections } from './connect-service.js'

const DATABASE = 'postgres://cupel:SECRET@db.internal/cupel'
const LEDGER = 'clickhouse://me:SECRET@columns.internal:8123/cupel'
const KAFKA = { CUPEL_LOG: 'kafka', CUPEL_KAFKA_BROKERS: 'kafka.internal:9092' }
const SASL = {
  CUPEL_KAFKA_SASL_MECHANISM: 'plain',
  CUPEL_KAFKA_USERNAME: 'cupel',
  CUPEL_KAFKA_PASSWORD: 'SECRET',
}

type Case = readonly [settings: Record<string, string>, refused: string[], warned: string[]]
const cases: readonly Case[] = [
  [{}, [], []],
  [{ CUPEL_DATABASE_URL: 'postgres://cupel@127.0.0.1/cupel' }, [], []],
  [{ CUPEL_DATABASE_URL: DATABASE }, ['CUPEL_DATABASE_URL', 'CUPEL_DATABASE_INSECURE'], []],
  [{ CUPEL_DATABASE_URL: `${DATABASE}?sslmode=no-verify` }, ['CUPEL_DATABASE_INSECURE'], []],
  [{ CUPEL_DATABASE_URL: `${DATABASE}?sslmode=verify-full` }, [], []],
  [{ CUPEL_DATABASE_URL: DATABASE, CUPEL_DATABASE_INSECURE: 'true' }, [], ['CUPEL_DATABASE_INSECURE']],
  [{ ...KAFKA, ...SASL }, ['CUPEL_KAFKA_TLS', 'CUPEL_KAFKA_INSECURE'], []],
  [{ ...KAFKA, ...SASL, CUPEL_KAFKA_TLS: 'true' }, [], []],
  [{ ...KAFKA, CUPEL_KAFKA_INSECURE: 'true' }, [], ['CUPEL_KAFKA_INSECURE']],
  [{ CUPEL_LEDGER_URL: LEDGER }, ['CUPEL_LEDGER_URL', 'CUPEL_LEDGER_INSECURE'], []],
  [{ CUPEL_LEDGER_URL: LEDGER.replace('clickhouse:', 'clickhouses:') }, [], []],
  [{ CUPEL_LEDGER_URL: LEDGER, CUPEL_LEDGER_INSECURE: 'true' }, [], ['CUPEL_LEDGER_INSECURE']],
  [{ CUPEL_LEDGER_URL: 'clickhouse://me:SECRET@127.0.0.1/cupel' }, [], []],
  // A permission for one peer does not apply to another.
  [{ ...KAFKA, CUPEL_DATABASE_URL: DATABASE, CUPEL_KAFKA_INSECURE: 'true' }, ['CUPEL_DATABASE_INSECURE'], []],
  [{ CUPEL_DATABASE_URL: `${DATABASE}?sslrootcert=/nowhere/ca.pem` }, ['CUPEL_DATABASE_URL'], []],
]

test.each(cases)('with %j the start refuses %j and warns of %j', (settings, refused, warned) => {
  const warnings: string[] = []
  let sentence = ''
  try {
    requireVerifiedConnections(loadConfig(settings), (warning) => warnings.push(warning))
  } catch (error) {
    sentence = (error as Error).message
  }
  expect(sentence === '').toBe(refused.length === 0)
  for (const name of refused) expect(sentence).toContain(name)
  expect(warnings).toHaveLength(warned.length)
  for (const [index, name] of warned.entries()) expect(warnings[index]).toContain(name)
  expect(sentence + warnings.join()).not.toContain('SECRET')
})
