/** A real Prometheus, of Debian’s package, that scrapes addresses of a test every second. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Prometheus {
  /** Each series that a query returns over a time, with the points that are numbers. */
  queryRange(query: string, range: TimeRange): Promise<readonly QueriedSeries[]>
  /** The exemplars of the series of a query. */
  exemplars(query: string, range: TimeRange): Promise<readonly QueriedExemplar[]>
  /** The alert rules, as they were evaluated last. */
  alerts(): Promise<readonly EvaluatedAlert[]>
  close(): Promise<void>
}

/** Seconds since 1970. */
export interface TimeRange {
  readonly fromSeconds: number
  readonly toSeconds: number
  readonly stepSeconds: number
}

export interface QueriedSeries {
  readonly labels: Readonly<Record<string, string>>
  readonly points: readonly { readonly atSeconds: number; readonly value: number }[]
}

export interface QueriedExemplar {
  readonly seriesLabels: Readonly<Record<string, string>>
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface EvaluatedAlert {
  readonly name: string
  /** `pending`: its condition holds, not yet for as long as the rule demands. */
  readonly state: 'inactive' | 'pending' | 'firing'
  /** `ok` if the last evaluation ended without an error. */
  readonly health: 'ok' | 'err' | 'unknown'
  readonly evaluatedAt: Date
}

/** False if the program is not installed. */
export function hasPrometheus(): boolean {
  try {
    execFileSync('prometheus', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Rejects if it ends before it listens. `rules`: files of rules, which are evaluated every second. */
export async function startPrometheus(
  addresses: readonly string[],
  rules: readonly string[] = [],
): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'cupel-prometheus-'))
  const file = join(folder, 'prometheus.yml')
  const targets = addresses.map((address) => new URL(address).host)
  // JSON is YAML. The job is named as in deploy/observability/prometheus.yml.
  const scrape = { job_name: 'cupel', static_configs: [{ targets }] }
  const global = { scrape_interval: '1s', evaluation_interval: '1s' }
  writeFileSync(file, JSON.stringify({ global, rule_files: rules, scrape_configs: [scrape] }))
  const child = spawn(
    'prometheus',
    [
      ...[`--config.file=${file}`, `--storage.tsdb.path=${join(folder, 'data')}`],
      ...['--web.listen-address=127.0.0.1:0', '--enable-feature=exemplar-storage'],
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const close = async (): Promise<void> => {
    child.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const address = await listeningAddress(child)
    return { ...queriesOf(`http://${address}/api/v1`), close }
  } catch (error) {
    await close()
    throw error
  }
}

const LISTENING = /msg="Listening on" address=(\S+)/

function listeningAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = ''
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-20_000)
      const [, address] = LISTENING.exec(said) ?? []
      if (address !== undefined) resolve(address)
    })
    child.once('error', reject)
    child.once('close', () => reject(new Error(`Prometheus ended before it listened:\n${said}`)))
  })
}

function queriesOf(api: string): Omit<Prometheus, 'close'> {
  const ask = async <T>(path: string, parameters: Record<string, string>): Promise<T> => {
    const response = await fetch(`${api}/${path}?${new URLSearchParams(parameters).toString()}`)
    const text = await response.text()
    if (!response.ok)
      throw new Error(`${path} of ${parameters['query'] ?? 'all'}: ${response.status} ${text}`)
    return (JSON.parse(text) as { data: T }).data
  }
  return {
    async queryRange(query, { fromSeconds, toSeconds, stepSeconds }) {
      const { result } = await ask<{ result: readonly SentSeries[] }>('query_range', {
        ...{ query, start: String(fromSeconds), end: String(toSeconds), step: String(stepSeconds) },
      })
      return result.map(({ metric, values }) => ({
        labels: metric,
        points: values
          .map(([atSeconds, text]) => ({ atSeconds, value: Number(text) }))
          .filter(({ value }) => Number.isFinite(value)),
      }))
    },
    async exemplars(query, { fromSeconds, toSeconds }) {
      const series = await ask<readonly SentExemplars[]>('query_exemplars', {
        ...{ query, start: String(fromSeconds), end: String(toSeconds) },
      })
      return series.flatMap(({ seriesLabels, exemplars }) =>
        exemplars.map(({ labels, value }) => ({ seriesLabels, labels, value: Number(value) })),
      )
    },
    async alerts() {
      const { groups } = await ask<{ groups: readonly { readonly rules: readonly SentAlert[] }[] }>('rules', {
        type: 'alert',
      })
      return groups.flatMap(({ rules }) =>
        rules.map(({ name, state, health, lastEvaluation }) => ({
          ...{ name, state, health, evaluatedAt: new Date(lastEvaluation) },
        })),
      )
    },
  }
}

interface SentSeries {
  readonly metric: Readonly<Record<string, string>>
  readonly values: readonly (readonly [number, string])[]
}
interface SentExemplars {
  readonly seriesLabels: Readonly<Record<string, string>>
  readonly exemplars: readonly { readonly labels: Readonly<Record<string, string>>; readonly value: string }[]
}
interface SentAlert extends Omit<EvaluatedAlert, 'evaluatedAt'> {
  readonly lastEvaluation: string
}
