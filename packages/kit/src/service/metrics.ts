/** Prometheus metrics behind the platform's small interface. */
import type { Labels, Metrics, NamedTrace } from '@cupel/contracts'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { createExemplars, type Exemplars } from './exemplars.js'
import { OPEN_METRICS_CONTENT_TYPE, openMetricsText, type MetricsFormat } from './open-metrics.js'

export interface MetricsRegistry extends Metrics {
  /** The exposition text of all registered metrics. Only OpenMetrics has exemplars; series have the same names in both formats. */
  render(format?: MetricsFormat): Promise<{ contentType: string; body: string }>
}

const PREFIX = 'cupel_'
/**
 * Interval of the event loop lag measurement. Each measurement wakes the process. With the library's 10 ms, seven idle services on
 * one machine woke 700 times a second and evicted the caches of busy ones.
 */
const EVENT_LOOP_LOOK_MS = 100

export function createMetrics(service: string): MetricsRegistry {
  const registry = new Registry()
  registry.setDefaultLabels({ service })
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_LOOK_MS })
  const exemplars = new Map<string, Exemplars>()
  const known = new Map<string, unknown>()
  const once = <T>(name: string, create: () => T): T => {
    const existing = known.get(name)
    if (existing !== undefined) return existing as T
    const created = create()
    known.set(name, created)
    return created
  }
  const partsOf = (name: string, help: string, labelNames: readonly string[]) => ({
    ...{ name: PREFIX + name, help, labelNames: [...labelNames], registers: [registry] },
  })
  return {
    counter: (name, help, labelNames = []) =>
      once(name, () => {
        const counter = new Counter(partsOf(name, help, labelNames))
        return { inc: (labels: Labels = {}, by = 1) => counter.inc(labels, by) }
      }),
    gauge: (name, help, labelNames = []) =>
      once(name, () => {
        const gauge = new Gauge(partsOf(name, help, labelNames))
        return { set: (value: number, labels: Labels = {}) => gauge.set(labels, value) }
      }),
    histogram: (name, help, buckets, labelNames = []) =>
      once(name, () => {
        const parts = partsOf(name, help, labelNames)
        const histogram = new Histogram({ ...parts, buckets: [...buckets] })
        const examples = createExemplars(buckets, labelNames)
        exemplars.set(parts.name, examples)
        return {
          observe(value: number, labels: Labels = {}, trace?: NamedTrace) {
            histogram.observe(labels, value)
            examples.note(value, labels, trace)
          },
        }
      }),
    render: async (format = 'prometheus') =>
      format === 'openmetrics'
        ? {
            contentType: OPEN_METRICS_CONTENT_TYPE,
            body: openMetricsText(await registry.getMetricsAsJSON(), exemplars),
          }
        : { contentType: registry.contentType, body: await registry.metrics() },
  }
}
