import { expect, test } from 'vitest'
import type { EndedSpan } from './local-trace.js'
import { rejectedItems, traceRequest } from './otlp-json.js'

const span: EndedSpan = {
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  spanId: '00f067aa0ba902b7',
  parentSpanId: null,
  isSampled: true,
  name: 'POST /v1/screen',
  kind: 'server',
  startedAtMs: 1_795_000_000_123.5,
  endedAtMs: 1_795_000_000_124.000_5,
  attributes: { text: 'a', whole: 3, part: 0.5, yes: true },
  links: [{ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) }],
  isFailed: true,
}

test('a span is written as OTLP has it in JSON', () => {
  const request = JSON.parse(traceRequest({ 'service.name': 'cupel-api' }, [span])) as unknown
  expect(request).toEqual({
    resourceSpans: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: 'cupel-api' } }] },
        scopeSpans: [
          {
            scope: { name: 'cupel' },
            spans: [
              {
                traceId: span.traceId,
                spanId: span.spanId,
                flags: 1,
                name: 'POST /v1/screen',
                kind: 2,
                startTimeUnixNano: '1795000000123500000',
                endTimeUnixNano: expect.stringMatching(/^17950000001240\d{5}$/) as string,
                attributes: [
                  { key: 'text', value: { stringValue: 'a' } },
                  { key: 'whole', value: { intValue: '3' } },
                  { key: 'part', value: { doubleValue: 0.5 } },
                  { key: 'yes', value: { boolValue: true } },
                ],
                links: [{ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) }],
                status: { code: 2 },
              },
            ],
          },
        ],
      },
    ],
  })
})

test('a child names its parent', () => {
  expect(traceRequest({}, [{ ...span, parentSpanId: 'c'.repeat(16) }])).toContain(
    `"parentSpanId":"${'c'.repeat(16)}"`,
  )
})

test.each([
  ['', 0],
  ['{}', 0],
  ['{"partialSuccess":{}}', 0],
  ['{"partialSuccess":{"rejectedSpans":"3"}}', 3],
  ['{"partialSuccess":{"rejectedLogRecords":"2"}}', 2],
  ['{"partialSuccess":{"rejectedSpans":-3}}', 0],
  ['null', 0],
  ['<html>', 0],
])('the answer %s rejects %d items', (text, rejected) => {
  expect(rejectedItems(text)).toBe(rejected)
})
