import { afterEach, expect, test } from 'vitest'
import { startHealthServer, type HealthServer } from './health-server.js'
import { createMetrics, type MetricsRegistry } from './metrics.js'
import { formatFor } from './open-metrics.js'

const TRACE = 'c0ffee00c0ffee00c0ffee00c0ffee00'
/** The headers that Prometheus 2.42 and Prometheus 3 send. */
const PROMETHEUS_2 =
  'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1'
const PROMETHEUS_3 =
  'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2'

function someMetrics(): MetricsRegistry {
  const metrics = createMetrics('test')
  metrics.counter('calls_total', 'Calls.', ['status']).inc({ status: '200' }, 3)
  metrics.counter('odd', 'A counter with another name.').inc()
  metrics.gauge('depth', 'Depth.').set(2)
  const seconds = metrics.histogram('call_seconds', 'Time of calls.', [0.1, 1], ['route'])
  seconds.observe(0.25, { route: '/a' }, { traceId: TRACE, isSampled: true })
  seconds.observe(0.05, { route: '/a' }, { traceId: 'deadbeefdeadbeefdeadbeefdeadbeef', isSampled: false })
  seconds.observe(9, { route: '/a' }, { traceId: TRACE, isSampled: true })
  seconds.observe(0.05, { route: '/b' })
  return metrics
}

let server: HealthServer | null = null
afterEach(async () => {
  await server?.close()
  server = null
})

/** The series of a scrape without values, each with its labels in order. */
const seriesOf = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name, labels = ''] = /^(\w+)(?:\{(.*?)\})? /.exec(line)!
      return `${name}{${labels.split(',').toSorted().join(',')}}`
    })
    .toSorted()

test('an observation of a sampled trace is the example of its bucket, and no other is', async () => {
  const { body, contentType } = await someMetrics().render('openmetrics')
  expect(contentType).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8')
  const buckets = body.split('\n').filter((line) => line.startsWith('cupel_call_seconds_bucket'))
  expect(buckets.map((line) => line.replace(/(# \{.*\} \S+) [\d.]+$/, '$1 at'))).toEqual([
    'cupel_call_seconds_bucket{le="0.1",route="/a",service="test"} 1',
    `cupel_call_seconds_bucket{le="1",route="/a",service="test"} 2 # {trace_id="${TRACE}"} 0.25 at`,
    `cupel_call_seconds_bucket{le="+Inf",route="/a",service="test"} 3 # {trace_id="${TRACE}"} 9 at`,
    'cupel_call_seconds_bucket{le="0.1",route="/b",service="test"} 1',
    'cupel_call_seconds_bucket{le="1",route="/b",service="test"} 1',
    'cupel_call_seconds_bucket{le="+Inf",route="/b",service="test"} 1',
  ])
})

test('what a label or a help could break is escaped', async () => {
  const metrics = createMetrics('test')
  metrics.gauge('odd', 'One "line"\nand \\', ['text']).set(Infinity, { text: 'a"b\\c\nd' })
  const { body } = await metrics.render('openmetrics')
  expect(body).toContain('# HELP cupel_odd One \\"line\\"\\nand \\\\\n')
  expect(body).toContain('cupel_odd{text="a\\"b\\\\c\\nd",service="test"} +Inf\n')
})

test('series have the same names in both formats, and one format does not change the other', async () => {
  const metrics = someMetrics()
  const before = await metrics.render()
  const open = await metrics.render('openmetrics')
  const after = await metrics.render()
  expect(seriesOf(open.body)).toEqual(seriesOf(before.body))
  expect(seriesOf(after.body)).toEqual(seriesOf(before.body))
  expect(open.body).toContain(
    '# TYPE cupel_calls counter\ncupel_calls_total{status="200",service="test"} 3\n',
  )
  expect(open.body).toContain('# TYPE cupel_odd unknown\ncupel_odd{service="test"} 1\n')
  expect(open.body).toMatch(/\n# EOF\n$/)
  expect(open.body).not.toContain('\n\n')
  expect(before.body).not.toContain(TRACE)
  expect(before.contentType).toBe('text/plain; version=0.0.4; charset=utf-8')
})

test.each([
  [undefined, 'prometheus'],
  ['', 'prometheus'],
  ['*/*', 'prometheus'],
  ['text/plain', 'prometheus'],
  ['text/plain, application/openmetrics-text;q=0.5', 'prometheus'],
  ['application/openmetrics-text;q=0', 'prometheus'],
  ['application/openmetrics-text; version=1.0.0; q=x', 'prometheus'],
  ['Application/OpenMetrics-Text', 'openmetrics'],
  [PROMETHEUS_2, 'openmetrics'],
  [PROMETHEUS_3, 'openmetrics'],
])('who accepts %s is answered in the format %s', (accept, format) => {
  expect(formatFor(accept)).toBe(format)
})

test('a scrape is answered in the format that it asks for', async () => {
  const checks = () => [{ name: 'database', ok: true }]
  server = await startHealthServer({ host: '127.0.0.1', port: 0, checks, metrics: someMetrics() })
  const { url } = server
  const scrape = (accept: string) => fetch(`${url}/metrics`, { headers: { accept } })
  const open = await scrape(PROMETHEUS_2)
  expect(open.headers.get('content-type')).toMatch(/^application\/openmetrics-text; version=1\.0\.0;/)
  expect(await open.text()).toContain(`# {trace_id="${TRACE}"}`)
  const classic = await scrape('text/plain')
  expect(classic.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4;/)
  expect(await classic.text()).not.toContain('# {')
})
