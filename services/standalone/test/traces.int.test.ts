/** Traces of every real service in one process, on the embedded log, as a collector receives them. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { screenTopic, silentLogger, topicOf } from '@cupel/contracts'
import { createMetrics, loadConfig, openTracing, type OpenTracing } from '@cupel/kit/service'
import {
  drawTrace,
  startTraceCollector,
  until,
  type CollectedSpan,
  type TraceCollector,
} from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startInstallation, type Installation, type Reply } from './installation.js'

const ETH = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
const SERVER = 2
const CLIENT = 3

const metrics = createMetrics('standalone')
let collector: TraceCollector
let traces: OpenTracing
let installation: Installation
let accountId: string
let key: string
beforeAll(async () => {
  collector = await startTraceCollector()
  traces = await openTracing({
    service: 'standalone',
    config: loadConfig({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_TRACES_SAMPLER_ARG: '1',
      OTEL_BSP_SCHEDULE_DELAY: '10',
      // A busy machine is slow: no trace is kept only because it was slow.
      CUPEL_TRACE_SLOW_MS: '60000',
    }),
    logger: silentLogger,
    metrics,
  })
  installation = await startInstallation({
    settings: { CUPEL_WEBHOOK_ALLOW: '127.0.0.0/8' },
    tracing: traces.tracing,
  })
  const issued = await installation.key()
  ;({ key, accountId } = issued)
})
afterAll(async () => {
  await installation?.close()
  await traces?.close()
  await collector?.close()
})

const screen = (headers: Record<string, string> = {}): Promise<Reply> =>
  installation.call('POST', '/v1/screen', { key, headers, body: { address: ETH, chain: 'ETH' } })

/** The id of a trace that begins at a call has the digits of its request id. */
const traceOf = (reply: Reply): string => reply.headers.get('request-id')!.replaceAll('-', '')

/** Waits for all of these spans, and returns the spans of the trace. */
const spansOf = (traceId: string, names: readonly string[]): Promise<CollectedSpan[]> =>
  until(() => {
    const spans = collector.spans.filter((span) => span.traceId === traceId)
    const missing = names.filter((name) => !spans.some((span) => span.name === name))
    if (missing.length > 0)
      throw new Error(`${missing.join(', ')} missing below ${drawTrace(spans).join('\n')}`)
    return spans
  })

/** Lists each span with its parent, by name; siblings end in any order. */
function edgesOf(spans: readonly CollectedSpan[]): string[] {
  const names = new Map(spans.map(({ spanId, name }) => [spanId, name]))
  return spans
    .map(({ name, parentSpanId }) => `${(parentSpanId && (names.get(parentSpanId) ?? '?')) ?? ''} > ${name}`)
    .toSorted()
}

const SCREEN_TRACE = [
  ' > POST /v1/screen',
  'POST /v1/screen > admit',
  'POST /v1/screen > send screening.screen.events.v1',
  'POST /v1/screen > wait for report',
  'process screening.screen.events.v1 > decide',
  'process screening.screen.events.v1 > send screening.report.events.v1',
  'send screening.report.events.v1 > project report-view',
  'send screening.screen.events.v1 > process screening.screen.events.v1',
  'send screening.screen.events.v1 > project audit-view',
]
const LAST_STEPS = ['POST /v1/screen', 'project report-view', 'project audit-view']

test('one trace of a screen has each step, from the call to the view', async () => {
  const reply = await screen()
  expect(reply.status, reply.text).toBe(200)
  const spans = await spansOf(traceOf(reply), LAST_STEPS)
  expect(edgesOf(spans)).toEqual(SCREEN_TRACE)
  const named = (name: string): CollectedSpan => spans.find((span) => span.name === name)!
  expect(named('POST /v1/screen')).toMatchObject({
    kind: SERVER,
    attributes: { 'http.route': '/v1/screen', 'http.response.status_code': 200 },
  })
  expect(named('wait for report').links).toEqual([named('send screening.report.events.v1').spanId])
  for (const { startedNs, endedNs } of spans) expect(endedNs >= startedNs).toBe(true)
})

test('the trace of the caller is continued, and is kept as the operator says, whatever the caller says', async () => {
  const parent = { traceId: 'c0ffee00c0ffee00c0ffee00c0ffee01', spanId: 'c0ffee00c0ffee01' }
  const unsampled = 'deadbeefdeadbeefdeadbeefdeadbeef'
  await screen({ traceparent: `00-${unsampled}-deadbeefdeadbeef-00` })
  await screen({ traceparent: `00-${parent.traceId}-${parent.spanId}-01` })
  const spans = await spansOf(parent.traceId, LAST_STEPS)
  expect(edgesOf(spans)).toEqual(SCREEN_TRACE.map((edge) => edge.replace(/^ >/, '? >')))
  expect(spans.find(({ name }) => name === 'POST /v1/screen')!.parentSpanId).toBe(parent.spanId)
  expect(edgesOf(await spansOf(unsampled, LAST_STEPS))).toEqual(edgesOf(spans))
})

test('one trace of a bulk job leads over an item to the webhook', async () => {
  const receiver = await startReceiver()
  const endpoint = { url: `${receiver.url}/hook`, payload: 'thin' }
  const made = await installation.call('POST', '/v1/webhook-endpoints', { key, body: endpoint })
  expect(made.status, made.text).toBe(201)
  const reply = await installation.call('POST', '/v1/bulk', { key, body: { addresses: [ETH] } })
  expect(reply.status, reply.text).toBe(202)
  const spans = await spansOf(traceOf(reply), ['POST /v1/bulk', 'project report-view', 'POST webhook'])
  const edges = edgesOf(spans)
  const submission = `send ${topicOf('BulkSubmitted')}`
  const bulkLane = `process ${screenTopic('bulk', true)}`
  for (const edge of [
    `POST /v1/bulk > ${submission}`,
    `${submission} > release items`,
    `${submission} > ${bulkLane}`,
    `${bulkLane} > send screening.report.events.v1`,
    'send screening.report.events.v1 > project report-view',
    `${submission} > process ${topicOf('BulkCompleted')}`,
    `process ${topicOf('BulkCompleted')} > POST webhook`,
  ])
    expect(edges).toContain(edge)
  const sent = spans.find(({ name }) => name === 'POST webhook')!
  expect(sent).toMatchObject({ kind: CLIENT, attributes: { 'http.response.status_code': 204 } })
  expect(receiver.traceparents).toContain(`00-${sent.traceId}-${sent.spanId}-01`)
  await receiver.close()
})

test('no span holds an address, a key or an account', () => {
  const text = collector.texts.join('\n')
  expect(text).toContain('POST /v1/screen')
  for (const secret of [ETH, ETH.toLowerCase(), key, accountId, '127.0.0.1'])
    expect(text).not.toContain(secret)
})

test('a collector that takes nothing changes no answer, and what is dropped is counted', async () => {
  collector.answerWith(400)
  const reply = await screen()
  expect(reply.status, reply.text).toBe(200)
  await until(async () => {
    const { body } = await metrics.render()
    const [, dropped = '0'] =
      /^cupel_trace_spans_dropped_total\{.*reason="refused".*\} (\d+)$/m.exec(body) ?? []
    expect(Number(dropped)).toBeGreaterThan(0)
  })
})

interface Receiver {
  readonly url: string
  readonly traceparents: readonly string[]
  close(): Promise<void>
}

async function startReceiver(): Promise<Receiver> {
  const traceparents: string[] = []
  const server: Server = createServer((request, response) => {
    traceparents.push(String(request.headers['traceparent']))
    request.resume().on('end', () => response.writeHead(204).end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    traceparents,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
