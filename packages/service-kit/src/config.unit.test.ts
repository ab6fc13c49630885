import { expect, test } from 'vitest'
import { ConfigError, loadConfig, settingsReference } from './config.js'

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

test('every setting is described in the reference', () => {
  for (const setting of settingsReference()) expect(setting.description, setting.name).not.toBe('')
})
