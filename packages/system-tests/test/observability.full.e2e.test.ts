/** A running installation has every series that alerts and boards name, and a real Prometheus answers the queries of every panel. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  hasPrometheus,
  noteSkip,
  startEvmNode,
  startPrometheus,
  startTraceCollector,
  type Prometheus,
  type TraceCollector,
} from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callEverything } from '../src/board-load.js'
import { queryOver, readBoards } from '../src/boards.js'
import { createClient, type Client } from '../src/client.js'
import { enterpriseKey } from '../src/command.js'
import {
  checkout,
  createHome,
  removeHome,
  startInstallation,
  type Installation,
} from '../src/installation.js'
import { until } from '../src/until.js'
import { createEndpoint, startWebhookReceiver, type WebhookReceiver } from '../src/webhook-receiver.js'

const ARRIVAL_MS = 180_000
const folder = join(checkout, 'deploy', 'observability')
const boards = readBoards()
const missing = hasPrometheus() ? undefined : 'prometheus is not installed'
if (missing !== undefined) noteSkip(`queries of the boards: ${missing}`)

let home: string
let node: Awaited<ReturnType<typeof startEvmNode>>
let collector: TraceCollector
let receiver: WebhookReceiver
let installation: Installation
let client: Client
let key: string
let prometheus: Prometheus | undefined
const startedSeconds = Date.now() / 1_000 - 1

beforeAll(async () => {
  home = createHome()
  node = await startEvmNode()
  collector = await startTraceCollector()
  receiver = await startWebhookReceiver()
  const file = join(home, 'providers.json')
  const providers = [{ name: 'node', kind: 'evm-rpc', chain: 'ETH', url: node.url }]
  writeFileSync(file, JSON.stringify({ providers }))
  installation = await startInstallation({
    home,
    environment: {
      CUPEL_CHAIN_DATA_FILE: file,
      CUPEL_WEBHOOK_ALLOW: '127.0.0.0/8',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_TRACES_SAMPLER_ARG: '1',
      OTEL_LOGS_EXPORTER: 'otlp',
      CUPEL_LOG_LEVEL: 'debug',
    },
  })
  key = await enterpriseKey(home)
  client = createClient(installation.ready.base_urls, key)
  await createEndpoint(client, receiver, '/boards', 'thin')
  if (missing === undefined) prometheus = await startPrometheus(installation.ready.metrics_urls)
})
afterAll(async () => {
  await prometheus?.close()
  await client?.close()
  await installation?.stop()
  await receiver?.close()
  await collector?.close()
  await node?.close()
  if (home !== undefined) removeHome(home)
})

/** Series that start only where witnesses are queried. */
const OF_WITNESSES = [
  'cupel_transparency_cosigned_age_seconds',
  'cupel_transparency_uncosigned_seconds',
  'cupel_transparency_witness_failures_total',
  'cupel_transparency_witness_inconsistent',
]
const NAME = /\b(?:cupel|process|nodejs)_[a-z0-9_]+/g

test('every series that an alert, a board or the scaling of the chart names is in a scrape', async () => {
  const chart = readFileSync(join(checkout, 'deploy/helm/cupel/templates/_helpers.tpl'), 'utf8')
  const lags = [...chart.matchAll(/^ *lag: (.*)$/gm)].map(([, query]) => query!)
  expect(lags).toHaveLength(3)
  const texts = [
    readFileSync(join(folder, 'alerts.yml'), 'utf8').replaceAll(/^ *#.*$/gm, ''),
    ...boards.flatMap(({ panels }) => panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))),
    ...lags,
  ]
  const named = new Set(texts.flatMap((text) => text.match(NAME) ?? []))
  expect(named.size).toBeGreaterThan(40)
  await client.screen('0x098B716B8Aaf21512996dC57EB0615e2383E2f96', 'ETH')
  const scraped = await until('The age of the starter labels', ARRIVAL_MS, async () => {
    const urls = installation.ready.metrics_urls
    const scrapes = await Promise.all(urls.map(async (url) => await (await fetch(url)).text()))
    const text = scrapes.join('\n')
    if (!/^cupel_label_list_age_seconds\{/m.test(text)) return null
    return new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!))
  })
  const unknown = [...named].filter((name) => !scraped.has(name.replace(/_(?:bucket|count|sum)$/, '')))
  expect(unknown.toSorted()).toEqual(OF_WITNESSES)
})

/** Panels that may have no data in normal operation, with the reason. */
const MAY_BE_EMPTY: Readonly<Record<string, string>> = {
  'Checks that fail': 'every check passes',
  'Forged records': 'the series begins with the first one',
  'Addresses looked for in the ledger': 'no ledger is imported',
  'Since the last refresh': 'no plan of refreshes is set',
  'Refreshes by outcome': 'no plan of refreshes is set',
  'Age of the last cosigned checkpoint': 'no witness is named',
  'Failures of witnesses': 'no witness is named',
  'Followers behind their nodes': 'no node is followed',
  'Blocks imported by followers, in a minute': 'no node is followed',
  'Followers that stopped': 'no node is followed',
}
/** A rate has a value after two scrapes, a second apart, with different values. */
const BETWEEN_ROUNDS_MS = 500

test.runIf(missing === undefined)('a real Prometheus has data for every panel under load', async () => {
  let empty = boards.flatMap(({ name, panels }) =>
    panels.flatMap(({ title, targets }) =>
      targets.map(({ expr, legendFormat }) => ({ name, title, expr, legendFormat })),
    ),
  )
  const titles = new Set(empty.map(({ title }) => title))
  expect(Object.keys(MAY_BE_EMPTY).filter((title) => !titles.has(title))).toEqual([])
  empty = empty.filter(({ title }) => !(title in MAY_BE_EMPTY))
  expect(empty.length).toBeGreaterThan(60)
  await until('data for every panel', ARRIVAL_MS, async () => {
    await callEverything(client, installation.ready)
    await sleep(BETWEEN_ROUNDS_MS)
    const range = { fromSeconds: startedSeconds, toSeconds: Date.now() / 1_000, stepSeconds: 1 }
    const answers = empty.map(async ({ expr }) => {
      const series = await prometheus!.queryRange(queryOver(expr, '5m'), range)
      return series.every(({ points }) => points.length === 0)
    })
    const isEmpty = await Promise.all(answers)
    empty = empty.filter((_, index) => isEmpty[index])
    expect(empty).toEqual([])
    return true
  })
})

/** Histograms of latencies that one call or record causes. */
const WITH_EXEMPLARS = [
  'cupel_http_request_seconds_bucket',
  'cupel_api_screen_dwell_seconds_bucket',
  'cupel_scorer_dwell_seconds_bucket',
  'cupel_webhook_attempt_seconds_bucket',
]

test.runIf(missing === undefined).each(WITH_EXEMPLARS)(
  'an exemplar of %s leads from Prometheus to a trace',
  async (name) => {
    await until(`an exemplar of ${name} whose trace was collected`, ARRIVAL_MS, async () => {
      await callEverything(client, installation.ready)
      await sleep(BETWEEN_ROUNDS_MS)
      const range = { fromSeconds: startedSeconds, toSeconds: Date.now() / 1_000, stepSeconds: 1 }
      const found = await prometheus!.exemplars(name, range)
      const traces = new Set(collector.spans.map(({ traceId }) => traceId))
      return found.some(({ labels }) => traces.has(labels['trace_id'] ?? ''))
    })
  },
)

test('a log record of a call carries the id of its trace, and no record a key', async () => {
  const made = new Set<unknown>()
  const record = await until('the log record of a call', ARRIVAL_MS, async () => {
    const { headers } = await client.screen('0x098B716B8Aaf21512996dC57EB0615e2383E2f96', 'ETH')
    made.add(headers['request-id'])
    await sleep(BETWEEN_ROUNDS_MS)
    return collector.records.find(({ attributes }) => made.has(attributes['requestId']))
  })
  expect(record).toMatchObject({ severity: 'DEBUG', body: 'Answered', service: 'cupel-standalone' })
  expect(record.traceId).toBe(String(record.attributes['requestId']).replaceAll('-', ''))
  expect(collector.texts.join('\n')).not.toContain(key)
})
