/** Measures screens of new addresses with a provider of chain data that answers after several delays. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEvmNode, type EvmNode } from '@cupel/testkit'
import { runPhase, type LoadResult } from '../load.js'
import { enterpriseKey, startSystem, type RunningSystem } from '../system.js'

export interface ProvidersOptions {
  /** Folder of the checkout. */
  readonly root: string
  readonly seconds: number
  readonly perSecond: number
  readonly say: (line: string) => void
}

export interface ProviderRow extends LoadResult {
  /** Milliseconds the provider takes to answer; null if none is configured. */
  readonly delayMs: number | null
  /** Reports by the status of their chain data; `late` is a separate status here. */
  readonly reports: Readonly<Record<string, number>>
  /** Messages that the provider received. */
  readonly questions: number
}

export interface ProvidersResults {
  readonly date: string
  readonly cores: number
  /** Before the run. Above a few tenths, other programs were using the machine. */
  readonly loadAverage: number
  readonly rows: readonly ProviderRow[]
}

const DELAYS_MS = [50, 200, 2_000] as const
const WARM_UP_SECONDS = 5
const TARGET_MS = 500

export async function runProviders(options: ProvidersOptions): Promise<ProvidersResults> {
  const loadAverage = Math.round(loadavg()[0]! * 10) / 10
  const node = await startEvmNode()
  const home = await mkdtemp(join(tmpdir(), 'cupel-bench-providers-'))
  try {
    const file = join(home, 'providers.json')
    const provider = { name: 'slow-node', kind: 'evm-rpc', chain: 'ETH', url: node.url }
    await writeFile(file, JSON.stringify({ providers: [provider] }))
    const rows = [
      ...(await withSystem(options, home, undefined, (screens) => measure(screens, node, [null], options))),
      ...(await withSystem(options, home, file, (screens) => measure(screens, node, DELAYS_MS, options))),
    ]
    return { date: new Date().toISOString().slice(0, 10), cores: cpus().length, loadAverage, rows }
  } finally {
    await node.close()
    await rm(home, { recursive: true, force: true })
  }
}

/** Starts the embedded profile with or without a file of providers. */
async function withSystem<T>(
  { root, say }: ProvidersOptions,
  home: string,
  file: string | undefined,
  use: (screens: Screens) => Promise<T>,
): Promise<T> {
  say(`start ${file === undefined ? 'without' : 'with'} a provider`)
  const before = process.env['CUPEL_CHAIN_DATA_FILE']
  if (file === undefined) delete process.env['CUPEL_CHAIN_DATA_FILE']
  else process.env['CUPEL_CHAIN_DATA_FILE'] = file
  let system: RunningSystem | null = null
  try {
    system = await startSystem({ root, home: join(home, 'home'), profile: 'embedded' })
    return await use({
      url: `${system.line.base_url}/v1/screen`,
      key: await enterpriseKey(system, `Providers ${randomBytes(3).toString('hex')}`),
    })
  } finally {
    await system?.stop()
    if (before === undefined) delete process.env['CUPEL_CHAIN_DATA_FILE']
    else process.env['CUPEL_CHAIN_DATA_FILE'] = before
  }
}

interface Screens {
  readonly url: string
  readonly key: string
}

async function measure(
  screens: Screens,
  node: EvmNode,
  delays: readonly (number | null)[],
  { seconds, perSecond, say }: ProvidersOptions,
): Promise<ProviderRow[]> {
  const rows: ProviderRow[] = []
  for (const delayMs of delays) {
    node.delayMs = delayMs ?? 0
    say(delayMs === null ? 'no provider' : `a provider that takes ${delayMs} ms`)
    await runPhase({ kind: 'open', level: perSecond, seconds: WARM_UP_SECONDS }, () => screen(screens, {}))
    const askedBefore = node.count()
    const reports: Record<string, number> = {}
    const phase = { kind: 'open', level: perSecond, seconds } as const
    const result = await runPhase(phase, () => screen(screens, reports))
    rows.push({ ...result, delayMs, reports, questions: node.count() - askedBefore })
  }
  return rows
}

interface ScreenAnswer {
  readonly coverage: {
    readonly chain_data: { readonly status: string; readonly faults?: { error: string }[] }
  }
}

async function screen({ url, key }: Screens, reports: Record<string, number>): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ address: `0x${randomBytes(20).toString('hex')}`, chain: 'ETH' }),
  })
  if (response.status !== 200) throw new Error(`status ${response.status}`)
  const { chain_data } = ((await response.json()) as ScreenAnswer).coverage
  const outcome = chain_data.faults?.[0]?.error ?? chain_data.status
  reports[outcome] = (reports[outcome] ?? 0) + 1
}

/** The results as a table in Markdown. */
export function renderProviders({ date, cores, loadAverage, rows }: ProvidersResults): string {
  return [
    `Measured ${date} on ${cores} cores, embedded profile; load average before the run ${loadAverage}. Every address is new.`,
    '',
    '| provider answers in | screens | p50 / p95 / max ms | errors | chain data in reports | questions | target |',
    '|---|---|---|---|---|---|---|',
    ...rows.map((row) => `| ${cellsOf(row).join(' | ')} |`),
    '',
  ].join('\n')
}

function cellsOf(row: ProviderRow): readonly string[] {
  return [
    row.delayMs === null ? 'none configured' : `${row.delayMs} ms`,
    `${row.requests} at ${row.level}/s`,
    `${row.p50Ms} / ${row.p95Ms} / ${row.maxMs}`,
    String(row.errors),
    Object.entries(row.reports)
      .map(([status, count]) => `${status} ${count}`)
      .join(', '),
    String(row.questions),
    row.delayMs === null ? '—' : `p95 < ${TARGET_MS} ms`,
  ]
}
