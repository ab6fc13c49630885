/** One trace leads over every process and real Kafka from a screen to its view, and from a bulk job to its webhook. */
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
    },
  })
  const client = createClient(installation.ready.base_urls, await enterpriseKey(home))
  const spansOf = (traceId: string, names: readonly string[]): Promise<CollectedSpan[]> =>
    until(`the spans ${names.join(', ')}`, ARRIVAL_MS, async () => {
      const spans = collector.spans.filter((span) => span.traceId === traceId)
      return names.every((name) => spans.some((span) => span.name === name)) ? spans : null
    })
  try {
    const screen = await client.screen(LABELLED, 'ETH')
    expect(screen.status, screen.text).toBe(200)
    const screened = await spansOf(String(screen.headers['request-id']).replaceAll('-', ''), [
      'POST /v1/screen',
      'project report-view',
      'project audit-view',
    ])
    expect(drawTrace(screened).filter((line) => !line.startsWith(' '))).toEqual(['POST /v1/screen'])
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
    expect(drawTrace(job).filter((line) => !line.startsWith(' '))).toEqual(['POST /v1/bulk'])
    expect(job.map(({ service }) => service)).toContain('cupel-webhook-dispatcher')
  } finally {
    await client.close()
    await installation.stop()
    await receiver.close()
    await collector.close()
    removeHome(home)
  }
})
