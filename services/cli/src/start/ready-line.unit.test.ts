import { expect, test } from 'vitest'
import { sanctionsListHint } from '@cupel/labels/commands'
import { readyLine, readyText } from './ready-line.js'

const keys = {
  account_id: 'acc_1',
  read_write: 'cpl_live_rw',
  read_write_id: 'rw',
  read_only: 'cpl_live_ro',
  read_only_id: 'ro',
  operator: 'cpl_live_op',
  operator_id: 'op',
}

const log = {
  kind: 'kafka',
  brokers: ['127.0.0.1:9092'],
  client_properties: '/srv/cupel/kafka/kafka/client.properties',
  registry: 'http://127.0.0.1:8081/apis/ccompat/v7',
} as const

test('the line for scripts contains what they need and nothing else', () => {
  const ready = readyLine({
    baseUrls: ['http://127.0.0.1:8080', 'http://127.0.0.1:8081'],
    webUrl: 'http://127.0.0.1:8082',
    keys,
    metricsUrls: ['http://127.0.0.1:9000/metrics'],
    log,
    home: '/srv/cupel',
  })

  expect(ready).toEqual({
    base_url: 'http://127.0.0.1:8080',
    base_urls: ['http://127.0.0.1:8080', 'http://127.0.0.1:8081'],
    console_url: 'http://127.0.0.1:8082',
    keys: { read_write: 'cpl_live_rw', read_only: 'cpl_live_ro', operator: 'cpl_live_op' },
    metrics_urls: ['http://127.0.0.1:9000/metrics'],
    log,
    home: '/srv/cupel',
  })
  expect(JSON.stringify(ready)).not.toContain('\n')
})

test('the text for people holds a curl line that can be pasted as it is', () => {
  const text = readyText(
    readyLine({
      baseUrls: ['http://127.0.0.1:8080'],
      webUrl: null,
      keys,
      metricsUrls: [],
      log: { kind: 'embedded' },
      home: '/srv/cupel',
    }),
    '/srv/cupel/embedded/logs',
  )

  const [curl] = text.split('\n').filter((line) => line.startsWith('curl '))
  expect(curl).toBe(
    `curl -sS http://127.0.0.1:8080/v1/screen -H 'Authorization: Bearer cpl_live_rw' -H 'Content-Type: application/json' -d '{"address":"0x098B716B8Aaf21512996dC57EB0615e2383E2f96"}'`,
  )
})

test('the text for people names the console where it is served', () => {
  const parts = { baseUrls: ['http://127.0.0.1:8080'], keys, metricsUrls: [], home: '/srv' }
  const textOf = (webUrl: string | null) =>
    readyText(readyLine({ ...parts, webUrl, log: { kind: 'embedded' } }), '/srv/logs')
  expect(textOf('http://127.0.0.1:8081')).toContain('console          http://127.0.0.1:8081')
  expect(textOf(null)).not.toContain('console')
})

test('the text for people ends with what to do next, if there is something', () => {
  const ready = readyLine({
    ...{
      baseUrls: ['http://127.0.0.1:8080'],
      webUrl: null,
      keys,
      metricsUrls: [],
      log: { kind: 'embedded' },
      home: '/srv',
    },
  })
  expect(readyText(ready, '/srv/logs', sanctionsListHint())).toMatch(
    /1\. Screen an address:.*2\. Allow green results\. No whole sanctions list that the policy requires is in force.*labels refresh --plan .*refresh-ofac\.json.*\n\n3\. Screen the same address again.*\n\nData in \/srv/s,
  )
  expect(readyText(ready, '/srv/logs')).not.toMatch(/sanctions list|2\./)
})
