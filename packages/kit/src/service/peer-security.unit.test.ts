import { describe, expect, test } from 'vitest'
import { ConfigError, loadConfig } from './config.js'
import {
  insecureSettings,
  isLoopback,
  kafkaPeers,
  requireVerifiedPeers,
  urlPeer,
  type Peer,
} from './peer-security.js'

const away: Peer = {
  name: 'The database db.internal',
  host: 'db.internal',
  isVerified: false,
  remedy: 'add sslmode=verify-full to CUPEL_DATABASE_URL',
  exception: 'CUPEL_DATABASE_INSECURE',
}

function judge(peers: readonly Peer[], environment: Readonly<Record<string, string>> = {}) {
  const warnings: string[] = []
  requireVerifiedPeers(peers, loadConfig(environment), (sentence) => warnings.push(sentence))
  return warnings
}

describe('a peer on another machine without verified TLS', () => {
  test('stops the start with one sentence that names what to set', () => {
    expect(() => judge([away, { ...away, name: 'The database other' }])).toThrow(
      new ConfigError(
        [
          'The database db.internal is on another machine and would be called without verified TLS: add sslmode=verify-full to CUPEL_DATABASE_URL, or accept it with CUPEL_DATABASE_INSECURE=true.',
          'The database other is on another machine and would be called without verified TLS: add sslmode=verify-full to CUPEL_DATABASE_URL, or accept it with CUPEL_DATABASE_INSECURE=true.',
        ].join('\n'),
      ),
    )
  })

  test.each(insecureSettings)('is called where %s=true, and every start warns of it', (exception) => {
    const peer = { ...away, exception }
    expect(judge([peer], { [exception]: 'true' })).toEqual([expect.stringContaining(exception)])
    expect(() => judge([peer], { [exception]: 'false' })).toThrow(exception)
    for (const other of insecureSettings.filter((one) => one !== exception))
      expect(() => judge([peer], { [other]: 'true' }), other).toThrow(exception)
  })
})

test('every start warns of all such peers in one sentence', () => {
  const brokers = ['k1:9092', 'k2:9092'].map((host): Peer => ({
    ...away,
    name: `The Kafka broker ${host}`,
    host,
    exception: 'CUPEL_KAFKA_INSECURE',
  }))
  const allowed = { CUPEL_DATABASE_INSECURE: 'true', CUPEL_KAFKA_INSECURE: 'true' }
  expect(judge([away, ...brokers], allowed)).toEqual([
    'Without verified TLS, as CUPEL_DATABASE_INSECURE, CUPEL_KAFKA_INSECURE allows: The database db.internal, the Kafka broker k1:9092, the Kafka broker k2:9092. Others can read and change what is sent.',
  ])
})

test('this machine, a socket and verified TLS need nothing, and nothing is warned of', () => {
  const safe: Peer[] = [
    { ...away, isVerified: true },
    { ...away, host: null },
    { ...away, host: '127.0.0.1' },
  ]
  expect(judge(safe)).toEqual([])
  expect(judge(safe, { CUPEL_DATABASE_INSECURE: 'true' })).toEqual([])
})

test.each([
  ['kafka.internal:9092', 'false', false],
  ['kafka.internal:9092', 'true', true],
  ['10.0.0.7:9092', 'false', false],
  ['0.0.0.0:9092', 'false', false],
  ['127.0.0.1:9092,kafka.internal:9092', 'false', false],
  ['127.0.0.1.evil.example:9092', 'false', false],
  ['127.0.0.1:9092,localhost:9093,[::1]:9094', 'false', true],
])('brokers %s with TLS %s', (brokers, tls, isTaken) => {
  const config = loadConfig({ CUPEL_LOG: 'kafka', CUPEL_KAFKA_BROKERS: brokers, CUPEL_KAFKA_TLS: tls })
  const start = () => requireVerifiedPeers(kafkaPeers(config), config, () => undefined)
  if (isTaken) expect(start).not.toThrow()
  else expect(start).toThrow(/CUPEL_KAFKA_TLS=true.*CUPEL_KAFKA_INSECURE=true/)
})

test('brokers do not matter to a service on the embedded log', () => {
  expect(kafkaPeers(loadConfig({ CUPEL_KAFKA_BROKERS: 'kafka.internal:9092' }))).toEqual([])
})

test.each([
  ['https://api.example.org/v1/SECRET', true],
  ['http://127.0.0.1:8080', true],
  ['http://[::1]:8080', true],
  ['http://localhost/', true],
  ['http://api.example.org/v1/SECRET', false],
  ['http://10.1.2.3:8545', false],
  ['http://[fd00::1]/', false],
])('an address %s: its path, which may hold a secret, is in no sentence', (url, isTaken) => {
  const peer = urlPeer(url, { name: 'The API', setting: 'CUPEL_API_URL', exception: 'CUPEL_API_INSECURE' })
  const start = () => requireVerifiedPeers([peer], {}, () => undefined)
  expect(JSON.stringify(peer)).not.toContain('SECRET')
  if (isTaken) expect(start).not.toThrow()
  else expect(start).toThrow(/CUPEL_API_URL.*CUPEL_API_INSECURE=true/)
})

test.each(['localhost', 'LOCALHOST', '127.0.0.1', '127.8.9.10', '::1', '[::1]'])(
  '%s is this machine',
  (host) => {
    expect(isLoopback(host)).toBe(true)
  },
)

test.each([
  '',
  '0.0.0.0',
  '::',
  '10.0.0.1',
  'localhost.example.org',
  '127.1',
  '::ffff:10.0.0.1',
  'h1,127.0.0.1',
])('%j is not known to be this machine', (host) => {
  expect(isLoopback(host)).toBe(false)
})

test('a process that trusts any certificate does not start', () => {
  expect(() => loadConfig({ NODE_TLS_REJECT_UNAUTHORIZED: '0' })).toThrow('NODE_TLS_REJECT_UNAUTHORIZED=0')
  expect(() => loadConfig({ NODE_TLS_REJECT_UNAUTHORIZED: '1' })).not.toThrow()
})
