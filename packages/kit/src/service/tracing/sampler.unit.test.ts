import { expect, test } from 'vitest'
import { createSampler, type SamplerName } from './sampler.js'

const LOW = `${'f'.repeat(20)}${'0'.repeat(12)}`
const HIGH = `${'0'.repeat(20)}${'f'.repeat(12)}`
const MIDDLE = `${'0'.repeat(20)}8${'0'.repeat(11)}`
const parent = (isSampled: boolean) => ({ traceId: LOW, spanId: '1'.repeat(16), isSampled })

test.each<[SamplerName, number, string, boolean]>([
  ['always_on', 0, LOW, true],
  ['always_off', 1, HIGH, false],
  ['traceidratio', 0, HIGH, false],
  ['traceidratio', 1, LOW, true],
  ['traceidratio', 0.5, MIDDLE, true],
  ['traceidratio', 0.49, MIDDLE, false],
  ['parentbased_always_on', 0, LOW, true],
  ['parentbased_always_off', 1, HIGH, false],
  ['parentbased_traceidratio', 0.01, HIGH, true],
  ['parentbased_traceidratio', 0.01, LOW, false],
])('%s with %d of a trace that begins here', (name, ratio, traceId, expected) => {
  expect(createSampler(name, ratio)(traceId, null)).toBe(expected)
})

test('a parent decides where the sampler says so, and only there', () => {
  for (const isSampled of [true, false]) {
    expect(createSampler('parentbased_traceidratio', isSampled ? 0 : 1)(HIGH, parent(isSampled))).toBe(
      isSampled,
    )
    expect(createSampler('traceidratio', isSampled ? 0 : 1)(HIGH, parent(isSampled))).toBe(!isSampled)
  }
})
