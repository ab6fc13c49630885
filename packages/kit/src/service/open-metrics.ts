/** The metrics of a process in the OpenMetrics format, which has exemplars: the trace of one observation beside its bucket. */
import type { MetricObjectWithValues, MetricValue, MetricValueWithName } from 'prom-client'
import type { Exemplar, Exemplars } from './exemplars.js'

export type MetricsFormat = 'prometheus' | 'openmetrics'

export const OPEN_METRICS_CONTENT_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8'
const MEDIA_TYPE = 'application/openmetrics-text'

type Family = MetricObjectWithValues<MetricValue<string>>

/** Every series has the same name as in the classic format. */
export function openMetricsText(
  families: readonly Family[],
  exemplars: ReadonlyMap<string, Exemplars>,
): string {
  return `${families.flatMap((family) => [...linesOf(family, exemplars.get(family.name))]).join('\n')}\n# EOF\n`
}

const TOTAL = '_total'

function* linesOf(family: Family, exemplars: Exemplars | undefined): Iterable<string> {
  const isCounter = String(family.type) === 'counter'
  const isTotal = isCounter && family.name.endsWith(TOTAL)
  // A family of counters is named without the suffix of its series. A counter with another suffix has an unknown type.
  const name = isTotal ? family.name.slice(0, -TOTAL.length) : family.name
  yield `# HELP ${name} ${escaped(family.help)}`
  yield `# TYPE ${name} ${isCounter && !isTotal ? 'unknown' : String(family.type)}`
  for (const each of family.values) {
    const { metricName = family.name, labels, value } = each as MetricValueWithName<string>
    const exemplar = metricName.endsWith('_bucket') ? exemplars?.of(labels as Labels) : undefined
    yield `${metricName}${labelsText(labels as Labels)} ${numberText(value)}${exemplarText(exemplar)}`
  }
}

type Labels = Readonly<Record<string, string | number>>

function labelsText(labels: Labels): string {
  let pairs = ''
  for (const name in labels) pairs += `${pairs === '' ? '' : ','}${name}="${escaped(String(labels[name]))}"`
  return pairs === '' ? '' : `{${pairs}}`
}

function exemplarText(exemplar: Exemplar | undefined): string {
  if (exemplar === undefined) return ''
  return ` # {trace_id="${exemplar.traceId}"} ${exemplar.value} ${exemplar.atSeconds.toFixed(3)}`
}

const ESCAPED = /[\\\n"]/

/** Fast path: most texts have nothing to escape, and a scrape has thousands. */
function escaped(text: string): string {
  if (!ESCAPED.test(text)) return text
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"')
}

function numberText(value: number): string {
  return value === Infinity ? '+Inf' : value === -Infinity ? '-Inf' : String(value)
}

/** The format that a scraper asks for. OpenMetrics only if it is named and is not less preferred than the classic format. */
export function formatFor(accept: string | undefined): MetricsFormat {
  const weights = new Map<string, number>()
  for (const part of (accept ?? '').split(',')) {
    const [type, ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
    const weight = Number(parameters.find((text) => text.startsWith('q='))?.slice(2) ?? 1)
    if (weight > 0) weights.set(type!, Math.max(weight, weights.get(type!) ?? 0))
  }
  const asked = weights.get(MEDIA_TYPE) ?? 0
  return asked > 0 && asked >= (weights.get('text/plain') ?? 0) ? 'openmetrics' : 'prometheus'
}
