import { expect, test } from 'vitest'
import { readTraceparent, spanIdOf, traceIdOf, writeTraceparent } from './trace-context.js'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'

test.each([
  [`00-${TRACE}-${SPAN}-01`, true],
  [`00-${TRACE}-${SPAN}-00`, false],
  [`00-${TRACE}-${SPAN}-03`, true],
])('%s is read', (text, isSampled) => {
  expect(readTraceparent(text)).toEqual({ traceId: TRACE, spanId: SPAN, isSampled })
})

test.each([
  undefined,
  '',
  'banana',
  `01-${TRACE}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
])('%s counts as absent', (text) => {
  expect(readTraceparent(text)).toBeNull()
})

test('what is written is read back', () => {
  const context = { traceId: TRACE, spanId: SPAN, isSampled: true }
  expect(readTraceparent(writeTraceparent(context))).toEqual(context)
})

test('the digits of a UUID are the trace id, and their end is the span id', () => {
  const id = '0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3'
  expect(traceIdOf(id)).toBe('0192f0c12d3e7a4b8c5d6e7f8091a2b3')
  expect(spanIdOf(id)).toBe('8c5d6e7f8091a2b3')
})

test('without a UUID ids are drawn, and never twice', () => {
  const ids = Array.from({ length: 2_000 }, () => [traceIdOf(undefined), spanIdOf('no UUID')]).flat()
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids) expect(id).toMatch(/^(?:[0-9a-f]{16}|[0-9a-f]{32})$/)
})
