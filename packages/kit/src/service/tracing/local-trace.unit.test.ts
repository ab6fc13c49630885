import type { TraceOptions } from '@cupel/contracts'
import { expect, test } from 'vitest'
import { createLocalTraces, MAX_STEPS_PER_TRACE, type EndedSpan, type KeptBecause } from './local-trace.js'

const UUID = '0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3'
const TRACE_ID = '0192f0c12d3e7a4b8c5d6e7f8091a2b3'
const PARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
/** Longer than any test. */
const NEVER_MS = 1e9

interface Kept {
  readonly spans: readonly EndedSpan[]
  readonly because: KeptBecause
}

function tracesWith(settings: { isSampled?: boolean; slowMs?: number; mayKeep?: boolean } = {}) {
  const kept: Kept[] = []
  const asked: string[] = []
  const counts = { passedOver: 0 }
  const tracing = createLocalTraces({
    isSampled(id, parent) {
      asked.push(id)
      return parent?.isSampled ?? settings.isSampled ?? true
    },
    slowMs: settings.slowMs ?? NEVER_MS,
    mayKeep: () => settings.mayKeep ?? true,
    keep: (spans, because) => kept.push({ spans, because }),
    onPassedOver: () => (counts.passedOver += 1),
  })
  const begin = (options: Partial<TraceOptions> = {}) =>
    tracing.begin({
      ...{ name: 'call', kind: 'server', parent: undefined, id: UUID, startedMs: performance.now() },
      ...options,
    })
  return { begin, kept, counts, asked }
}

test('a trace that begins here has the digits of its id, and its steps are children of its span', () => {
  const { begin, kept } = tracesWith()
  const trace = begin({ attributes: { one: 1 } })
  const step = trace.step('send', { kind: 'producer', eventId: UUID, attributes: { two: 2 } })
  step.link(PARENT)
  step.link('banana')
  step.end()
  trace.note({ three: true })
  trace.end()
  const [{ spans, because }] = kept as [Kept]
  const [root, child] = spans as [EndedSpan, EndedSpan]
  expect(because).toBe('sampled')
  expect(root).toMatchObject({ traceId: TRACE_ID, parentSpanId: null, name: 'call', kind: 'server' })
  expect(root.attributes).toEqual({ one: 1, three: true })
  expect(child).toMatchObject({
    traceId: TRACE_ID,
    parentSpanId: root.spanId,
    name: 'send',
    kind: 'producer',
  })
  expect(child.links).toEqual([expect.objectContaining({ spanId: '00f067aa0ba902b7' })])
  expect(child.startedAtMs).toBeGreaterThanOrEqual(root.startedAtMs)
  expect(child.endedAtMs).toBeLessThanOrEqual(root.endedAtMs)
})

test('the header of an event names the step that appends it, whenever that begins', () => {
  const { begin, kept } = tracesWith()
  const trace = begin()
  const header = trace.traceparentOf(UUID)
  trace.step('send', { eventId: UUID }).end()
  trace.end()
  expect(header).toBe(`00-${TRACE_ID}-${kept[0]!.spans[1]!.spanId}-01`)
})

test('a parent is continued, and decides with its flag', () => {
  for (const flag of ['01', '00']) {
    const { begin, kept } = tracesWith()
    const trace = begin({ parent: PARENT.replace(/01$/, flag) })
    trace.end()
    expect(trace.traceparent).toMatch(
      new RegExp(`^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-${flag}$`),
    )
    expect(kept.map(({ spans }) => spans[0]!.parentSpanId)).toEqual(flag === '01' ? ['00f067aa0ba902b7'] : [])
  }
})

test('a parent from outside is continued, and neither its flag nor its trace id decides', () => {
  for (const [flag, isSampled] of [
    ['01', false],
    ['00', true],
  ] as const) {
    const { begin, kept, asked } = tracesWith({ isSampled })
    const trace = begin({ parent: PARENT.replace(/01$/, flag), isParentForeign: true })
    trace.end()
    expect(asked).toEqual([TRACE_ID])
    expect(trace.traceparent).toMatch(
      new RegExp(`^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-${isSampled ? '01' : '00'}$`),
    )
    expect(kept).toHaveLength(isSampled ? 1 : 0)
  }
})

test('a trace is kept whole once its last step has ended, and once', () => {
  const { begin, kept } = tracesWith()
  const trace = begin()
  const late = trace.step('late')
  trace.end()
  expect(kept).toEqual([])
  late.end()
  late.end()
  trace.end()
  trace.step('after the end').end()
  expect(kept.map(({ spans }) => spans.map(({ name }) => name))).toEqual([['call', 'late']])
})

test('what is not sampled is kept where a step failed', () => {
  const { begin, kept } = tracesWith({ isSampled: false })
  const trace = begin()
  const step = trace.step('send')
  step.fail()
  step.end()
  trace.end()
  expect(kept[0]).toMatchObject({ because: 'failed' })
  expect(kept[0]!.spans.map(({ isFailed }) => isFailed)).toEqual([false, true])
})

test('what is not sampled is kept where it was slow, from when it was awaited', () => {
  const slowMs = 60_000
  const { begin, kept } = tracesWith({ isSampled: false, slowMs })
  begin().end()
  begin({ awaitedSinceMs: Date.now() }).end()
  expect(kept).toEqual([])
  begin({ startedMs: performance.now() - slowMs }).end()
  begin({ awaitedSinceMs: Date.now() - slowMs - 1 }).end()
  expect(kept.map(({ because }) => because)).toEqual(['slow', 'slow'])
})

test('a slow trace that may not be kept is counted', () => {
  const { begin, kept, counts } = tracesWith({ isSampled: false, slowMs: 0, mayKeep: false })
  begin().end()
  expect({ kept, ...counts }).toEqual({ kept: [], passedOver: 1 })
})

test('a trace has a limited number of steps', () => {
  const { begin, kept } = tracesWith()
  const trace = begin()
  for (let n = 0; n < MAX_STEPS_PER_TRACE + 5; n += 1) trace.step('one').end()
  trace.end()
  expect(kept[0]!.spans).toHaveLength(MAX_STEPS_PER_TRACE + 1)
})
