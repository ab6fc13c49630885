/** One trace covers every process and real Kafka from a screen to its view, and from a bulk job to its webhook. */
import { drawTrace, noteSkip, startTraceCollector, type CollectedSpan } from '@cupel/testkit'
import { expect, test } from 'vitest'
import { createClient } from '../src/client.js'
import { enterpriseKey } from '../src/command.js'
import { createHome, removeHome, startInstallation } from '../src/installation.js'
import { until } from '../src/until.js'
import { createEndpoint, startWebhookReceiver } from '../src/webhook-receiver.js'

const missing = process.env['CUPEL_TEST_KAFKA_MISSING']
if (missing !== undefined) noteSkip(`traces on the Kafka profile: ${missing}`)
const LABELLED = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
const ARRIVAL_MS = 120_000

test.runIf(missing === undefined)('each process adds its part to the one trace', async () => {
  const home = createHome()
  const collector = await startTraceCollector()
  const receiver = await startWebhookReceiver()
  const installation = await startInstallation({
    ...{ kafka: true, home },
    environment: {
      CUPEL_WEBHOOK_ALLOW: '127.0.0.0/8',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_TRACES_SAMPLER_ARG: '1',
      // A busy machine needs longer than a customer waits.
      CUPEL_SCREEN_DEADLINE_MS: '60000',
    },
  })
  const client = createClient(installation.ready.base_urls, await enterpriseKey(home))
  /** Each process sends its spans at its own times, so a span may arrive before the span that it follows from. */
  const spansOf = (traceId: string, names: readonly [string, ...string[]]): Promise<CollectedSpan[]> =>
    until(`the spans ${names.join(', ')}`, ARRIVAL_MS, async () => {
      const spans = collector.spans.filter((span) => span.traceId === traceId)
      expect(spans.map(({ name }) => name)).toEqual(expect.arrayContaining([...names]))
      expect(drawTrace(spans).filter((line) => !line.startsWith(' '))).toEqual([names[0]])
      return spans
    })
  try {
    const screen = await client.screen(LABELLED, 'ETH')
    expect(screen.status, screen.text).toBe(200)
    const screened = await spansOf(String(screen.headers['request-id']).replaceAll('-', ''), [
      'POST /v1/screen',
      'project report-view',
      'project audit-view',
    ])
    expect(new Set(screened.map(({ service }) => service))).toEqual(
      new Set(['cupel-api', 'cupel-scorer', 'cupel-projector']),
    )

    await createEndpoint(client, receiver, '/traced', 'thin')
    const trace = 'c0ffee00c0ffee00c0ffee00c0ffee02'
    await client.send('POST', '/v1/bulk', JSON.stringify({ addresses: [LABELLED] }), {
      traceparent: `00-${trace}-c0ffee00c0ffee02-01`,
    })
    const job = await spansOf(trace, [
      'POST /v1/bulk',
      'release items',
      'project report-view',
      'POST webhook',
    ])
    expect(job.map(({ service }) => service)).toContain('cupel-webhook-dispatcher')
  } finally {
    await client.close()
    await installation.stop()
    await receiver.close()
    await collector.close()
    removeHome(home)
  }
})
