import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '@cupel/kit/service'
import { afterAll, expect, test } from 'vitest'
import { kafkaAccess } from './kafka-access.js'

const folder = mkdtempSync(join(tmpdir(), 'cupel-access-'))
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const cluster = { CUPEL_LOG: 'kafka', CUPEL_KAFKA_BROKERS: 'a:1,b:2', CUPEL_KAFKA_TLS: 'true' }

test('certificates are read again for each connection', async () => {
  const { ssl, brokers } = await kafkaAccess(
    loadConfig({
      ...cluster,
      CUPEL_KAFKA_TLS_CA_FILE: file('ca', 'CA'),
      CUPEL_KAFKA_TLS_CERT_FILE: file('cert', 'CERT'),
      CUPEL_KAFKA_TLS_KEY_FILE: file('key', 'KEY'),
      CUPEL_KAFKA_TLS_SERVER_NAME: 'kafka.example',
    }),
  )
  expect(brokers).toEqual(['a:1', 'b:2'])
  if (typeof ssl !== 'function') throw new Error('The files are read once only')
  expect(ssl()).toEqual({ ca: 'CA', cert: 'CERT', key: 'KEY', servername: 'kafka.example' })
  file('cert', 'NEW')
  expect(ssl()).toMatchObject({ cert: 'NEW' })
})

test('a password of a file is read again for each connection', async () => {
  const path = file('password', 'FIRST')
  const { sasl } = await kafkaAccess(
    loadConfig({
      ...cluster,
      CUPEL_KAFKA_SASL_MECHANISM: 'scram-sha-256',
      CUPEL_KAFKA_USERNAME: 'cupel-api',
      CUPEL_KAFKA_PASSWORD_FILE: path,
    }),
  )
  if (sasl === undefined || !('password' in sasl) || typeof sasl.password !== 'function')
    throw new Error('The file is read once only')
  expect({ mechanism: sasl.mechanism, username: sasl.username }).toEqual({
    mechanism: 'scram-sha-256',
    username: 'cupel-api',
  })
  expect(sasl.password()).toBe('FIRST')
  writeFileSync(path, 'SECOND\n')
  expect(sasl.password()).toBe('SECOND')
})

test('a file that cannot be read is named at the start', async () => {
  const config = loadConfig({ ...cluster, CUPEL_KAFKA_TLS_CA_FILE: join(folder, 'absent') })
  await expect(kafkaAccess(config)).rejects.toThrow(/^CUPEL_KAFKA_TLS_CA_FILE cannot be read: ENOENT/)
})

test('without TLS and SASL neither is used', async () => {
  expect(await kafkaAccess(loadConfig({ ...cluster, CUPEL_KAFKA_TLS: 'false' }))).toEqual({
    brokers: ['a:1', 'b:2'],
    topicPrefix: '',
    compression: 'gzip',
    ssl: false,
  })
})
