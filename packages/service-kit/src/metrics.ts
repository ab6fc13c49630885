/** Prometheus metrics behind the platform's small interface. */
import type { Labels, Metrics } from '@cupel/contracts'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

export interface MetricsRegistry extends Metrics {
  /** The exposition text of everything registered. */
  render(): Promise<{ contentType: string; body: string }>
}

const PREFIX = 'cupel_'
/**
 * Interval of the event loop lag measurement. Each measurement wakes the process: with the library's 10 ms, seven idle services on
 * one machine woke 700 times a second and evicted the caches of busy ones.
 */
const EVENT_LOOP_LOOK_MS = 100

export function createMetrics(service: string): MetricsRegistry {
  const registry = new Registry()
  registry.setDefaultLabels({ service })
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_LOOK_MS })
  const known = new Map<string, unknown>()
  const once = <T>(name: string, create: () => T): T => {
    const existing = known.get(name)
    if (existing !== undefined) return existing as T
    const created = create()
    known.set(name, created)
    return created
  }
  return {
    counter: (name, help, labelNames = []) =>
      once(name, () => {
        const counter = new Counter({
          name: PREFIX + name,
          help,
          labelNames: [...labelNames],
          registers: [registry],
        })
        return { inc: (labels: Labels = {}, by = 1) => counter.inc(labels, by) }
      }),
    gauge: (name, help, labelNames = []) =>
      once(name, () => {
        const gauge = new Gauge({
          name: PREFIX + name,
          help,
          labelNames: [...labelNames],
          registers: [registry],
        })
        return { set: (value: number, labels: Labels = {}) => gauge.set(labels, value) }
      }),
    histogram: (name, help, buckets, labelNames = []) =>
      once(name, () => {
        const histogram = new Histogram({
          name: PREFIX + name,
          help,
          buckets: [...buckets],
          labelNames: [...labelNames],
          registers: [registry],
        })
        return { observe: (value: number, labels: Labels = {}) => histogram.observe(labels, value) }
      }),
    render: async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
  }
}
