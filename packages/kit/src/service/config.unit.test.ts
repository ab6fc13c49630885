import { expect, test } from 'vitest'
import { ConfigError, loadConfig } from './config.js'
import { settingsReference } from './settings-reference.js'

test('an empty environment gives the defaults', () => {
  expect(loadConfig({})).toMatchObject({
    CUPEL_LOG: 'embedded',
    CUPEL_PORT: 8080,
    CUPEL_SCREEN_DEADLINE_MS: 5000,
  })
})

test('every wrong setting is named in one error', () => {
  const load = () => loadConfig({ CUPEL_PORT: '70000', CUPEL_LOG: 'nats' })
  expect(load).toThrow(ConfigError)
  expect(load).toThrow(/CUPEL_PORT[\s\S]*CUPEL_LOG|CUPEL_LOG[\s\S]*CUPEL_PORT/)
})

test('a setting nobody reads is refused, so that a typing mistake is not silently ignored', () => {
  expect(() => loadConfig({ CUPEL_PROT: '1' })).toThrow('CUPEL_PROT is not a setting')
  expect(() => loadConfig({ CUPEL_FAILPOINT: 'before:test:1', CUPEL_API_KEY: 'x' })).not.toThrow()
})

test('kafka without brokers is refused', () => {
  expect(() => loadConfig({ CUPEL_LOG: 'kafka' })).toThrow('CUPEL_KAFKA_BROKERS is required')
  expect(loadConfig({ CUPEL_LOG: 'kafka', CUPEL_KAFKA_BROKERS: 'a:1, b:2' }).CUPEL_KAFKA_BROKERS).toEqual([
    'a:1',
    'b:2',
  ])
})

test.each(['CUPEL_WEBHOOK_ALLOW', 'CUPEL_TRUSTED_PROXIES'])(
  '%s refuses what is not a range, and what opens everything',
  (name) => {
    const load = (text: string) => () => loadConfig({ [name]: text })
    for (const text of ['10.0.0.0/8', '127.0.0.1', '::1', 'fc00::/7', '10.0.0.0/8, 192.168.1.0/24', ''])
      expect(load(text), text).not.toThrow()
    for (const text of [
      'banana',
      '10.0.0.0/8, ::/0',
      '0.0.0.0/0',
      '0.0.0.0/7',
      'fc00::/6',
      '10.0.0.0/33',
      '10/8',
      '10.0.0.0/',
      '1.2.3.4/-1',
    ])
      expect(load(text), text).toThrow(name)
    expect(load('::/0')).toThrow('::/0 is too wide')
  },
)

test('every setting is described in the reference', () => {
  for (const setting of settingsReference()) expect(setting.description, setting.name).not.toBe('')
})

test('a drain that leaves no time to answer the accepted calls is refused', () => {
  const limit = { CUPEL_SHUTDOWN_TIMEOUT_MS: '9000' }
  expect(loadConfig({ ...limit, CUPEL_DRAIN_MS: '8999' }).CUPEL_DRAIN_MS).toBe(8_999)
  expect(() => loadConfig({ ...limit, CUPEL_DRAIN_MS: '9000' })).toThrow(
    'CUPEL_DRAIN_MS (9000) must be less than CUPEL_SHUTDOWN_TIMEOUT_MS (9000).',
  )
})

test('a mail server needs a sender, and a password its user; the password is told nowhere', () => {
  expect(() => loadConfig({ CUPEL_MAIL_HOST: 'smtp.example.com' })).toThrow('CUPEL_MAIL_FROM is required')
  const sender = { CUPEL_MAIL_HOST: 'smtp.example.com', CUPEL_MAIL_FROM: 'cupel@example.com' }
  expect(() => loadConfig({ ...sender, CUPEL_MAIL_PASSWORD: 'p' })).toThrow('CUPEL_MAIL_USER is required')
  for (const from of ['cupel', 'a@b\r\nBcc: c@d', 'Cupel <cupel@example.com>'])
    expect(() => loadConfig({ ...sender, CUPEL_MAIL_FROM: from })).toThrow('CUPEL_MAIL_FROM')
  expect(loadConfig(sender)).toMatchObject({ CUPEL_MAIL_PORT: 587, CUPEL_MAIL_INSECURE: false })
})
