/**
 * `answers`: what two versions say of the same addresses. Each checkout starts its own installation, imports the shared labels and transfers
 * with its own commands, and screens every address of the transfers.
 */
import { execFile, spawn } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { BenchOptions, Outcome } from './options.js'
import { withHome } from './system.js'
import { conditionsOf, table, thousands } from './table.js'

/** Level, score and reasons of an address. */
interface Answer {
  readonly level: string
  readonly score: number
  readonly reasons: readonly string[]
}
type Answers = ReadonlyMap<string, Answer>

/** Transfers of one chain, as one file. */
interface ChainFile {
  readonly chain: string
  readonly file: string
  readonly last: number
}

const SANCTIONS_LIST = 'ofac_sdn.csv'
const MOST_OF_A_JOB = 1_000
const MAX_ATTEMPTS = 50
/** On a busy machine a late ledger would look like a change. It is the most that both versions accept. */
const PATIENCE = { CUPEL_EXPOSURE_BUDGET_MS: '10000' }
/** A height that no transfer of the files reaches. It has the time of today, so that a declared range ends today. */
const HEIGHT_OF_TODAY = { ETH: 30_000_000, TRX: 90_000_000 } as const

export async function runAnswers(options: BenchOptions): Promise<Outcome> {
  const { root, before, dataFolder, say } = options
  if (dataFolder === null) throw new Error('answers needs the shared data (CUPEL_SHARED_DATA)')
  if (before === undefined)
    throw new Error('answers needs --before FOLDER: the checkout of the earlier version')
  const [earlier, now] = [await answersOf(before, dataFolder, say), await answersOf(root, dataFolder, say)]
  const parts = ['fragments', 'declared whole'].map((name) => {
    const [left, right] = [earlier.get(name)!, now.get(name)!]
    return `Transfers ${name === 'fragments' ? 'as they are, fragments without a declared range' : 'declared as a whole history'}:\n\n${changes(left, right)}`
  })
  const said = (of: ReadonlyMap<string, Answers>) =>
    Object.fromEntries([...of].map(([name, answers]) => [name, Object.fromEntries(answers)]))
  return {
    table: [conditionsOf(options), ...parts].join('\n\n'),
    figures: { before: said(earlier), now: said(now) },
    isRight: true,
  }
}

/** A row for each pair of levels and the reasons of the later one, most addresses first. */
function changes(before: Answers, now: Answers): string {
  const counts = new Map<string, number>()
  for (const [address, { level, reasons }] of now) {
    const key = JSON.stringify([
      before.get(address)!.level,
      level,
      reasons.map((one) => `\`${one}\``).join(', '),
    ])
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const rows = [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([key, count]) => [...(JSON.parse(key) as [string, string, string]), thousands(count)])
  return table(['Before', 'Now', 'Reasons now', 'Addresses'], rows)
}

async function answersOf(
  checkout: string,
  dataFolder: string,
  say: (line: string) => void,
): Promise<ReadonlyMap<string, Answers>> {
  return await withHome(async (home) => {
    const environment = { ...process.env, CUPEL_HOME: home, CUPEL_PORT: '0', ...PATIENCE }
    const script = (name: string) => join(checkout, 'scripts', name)
    const service = spawn(process.execPath, [script('start.mjs'), '--json'], {
      env: environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(service, 'exit')
    const cupel = async (...args: readonly string[]): Promise<void> => {
      say(`${checkout}: ${args.slice(0, 3).join(' ')}`)
      await promisify(execFile)(process.execPath, [script('cupel.mjs'), ...args], { env: environment })
    }
    try {
      const [line] = (await Promise.race([
        once(createInterface(service.stdout), 'line'),
        ended.then(() => Promise.reject(new Error(`${checkout}: the service ended before it was ready`))),
      ])) as [string]
      const { base_url: url, keys } = JSON.parse(line) as {
        readonly base_url: string
        readonly keys: { readonly read_write: string }
      }
      const { files, addresses } = transfersIn(dataFolder, home)
      await importLabels(cupel, join(dataFolder, 'labels'))
      for (const { file, chain } of files)
        await cupel('ledger', 'import', file, '--format', 'csv', '--chain', chain)
      const fragments = await screened(url, keys.read_write, addresses)
      for (const one of files) await declareWhole(cupel, one, home)
      return new Map([
        ['fragments', fragments],
        ['declared whole', await screened(url, keys.read_write, addresses)],
      ])
    } finally {
      service.kill('SIGTERM')
      await ended
    }
  })
}

type Cupel = (...args: readonly string[]) => Promise<void>

/** The list of the authority has the date of today, so that its age is no reason. */
async function importLabels(cupel: Cupel, folder: string): Promise<void> {
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.csv'))) {
    const whole = ['--whole', '--as-of', new Date().toISOString().slice(0, 10)]
    const accepted = ['--accept-removals', '1000000', '--reason', 'a comparison of answers']
    const more = name === SANCTIONS_LIST ? whole : []
    const args = ['labels', 'import', join(folder, name), '--format', 'csv', ...more]
    await cupel(...args).catch(() => cupel(...args, ...accepted))
  }
}

/** The transfers of each chain in one file, and the addresses in them. */
function transfersIn(
  dataFolder: string,
  home: string,
): { readonly files: readonly ChainFile[]; readonly addresses: readonly string[] } {
  const folder = join(dataFolder, 'chain')
  const addresses = new Set<string>()
  const rows = new Map<string, string[]>()
  let heading = ''
  for (const name of readdirSync(folder).filter((one) => /^(?:eth|trx)_.*\.csv$/.test(one))) {
    const [first, ...lines] = readFileSync(join(folder, name), 'utf8').trim().split(/\r?\n/)
    heading = first!
    const columns = heading.split(',')
    const [from, to] = [columns.indexOf('from_address'), columns.indexOf('to_address')]
    for (const line of lines) {
      const fields = line.split(',')
      for (const address of [fields[from]!, fields[to]!]) if (address !== '') addresses.add(address)
      rows.set(fields[0]!, [...(rows.get(fields[0]!) ?? []), line])
    }
  }
  const files = (['ETH', 'TRX'] as const).map((chain): ChainFile => {
    const file = join(home, `${chain}.csv`)
    writeFileSync(file, [heading, ...rows.get(chain)!, ''].join('\n'))
    return { chain, file, last: HEIGHT_OF_TODAY[chain] }
  })
  return { files, addresses: [...addresses].sort() }
}

async function declareWhole(cupel: Cupel, { chain, file, last }: ChainFile, home: string): Promise<void> {
  const blocks = join(home, `${chain}-blocks.csv`)
  writeFileSync(blocks, `number,timestamp\n${last},${Math.floor(Date.now() / 1_000) - 600}\n`)
  await cupel('ledger', 'import', blocks, '--format', 'blocks', '--chain', chain)
  const range = ['--complete-from', '0', '--complete-to', String(last), '--covers', 'native,internal,token']
  await cupel('ledger', 'import', file, '--format', 'csv', '--chain', chain, ...range)
}

async function screened(url: string, key: string, addresses: readonly string[]): Promise<Answers> {
  const answers = new Map<string, Answer>()
  const call = async (path: string, init: RequestInit = {}, accept = 'application/json'): Promise<string> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept }
    for (let attempts = 1; ; attempts += 1) {
      const response = await fetch(`${url}/v1/bulk${path}`, { ...init, headers })
      const text = await response.text()
      if (response.ok) return text
      // A busy machine may answer late.
      if (response.status !== 503 || attempts === MAX_ATTEMPTS)
        throw new Error(`${path}: ${response.status} ${text.slice(0, 300)}`)
      await sleep(1_000)
    }
  }
  for (let at = 0; at < addresses.length; at += MOST_OF_A_JOB) {
    const body = JSON.stringify({ addresses: addresses.slice(at, at + MOST_OF_A_JOB) })
    const { job_id: job } = JSON.parse(await call('', { method: 'POST', body })) as {
      readonly job_id: string
    }
    const isOpen = async () =>
      (JSON.parse(await call(`/${job}?results=none`)) as { readonly completed_at: string | null })
        .completed_at === null
    while (await isOpen()) await sleep(500)
    const lines = await call(`/${job}/results`, {}, 'application/x-ndjson')
    for (const line of lines.trim().split('\n')) {
      const item = JSON.parse(line) as {
        readonly address: string
        readonly report: { readonly risk: { level: string; score: number; level_reasons: readonly string[] } }
      }
      const { level, score, level_reasons: reasons } = item.report.risk
      answers.set(item.address, { level, score, reasons: reasons.toSorted() })
    }
  }
  return answers
}
