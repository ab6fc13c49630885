/** Checks what must hold after any fault. It reads the topics as a downstream team does, and the read model's table beside the API. */
import { join } from 'node:path'
import { writeFile } from 'node:fs/promises'
import { openDatabase } from '@cupel/postgres'
import { expect } from 'vitest'
import type { ReadyLine } from '../../src/installation.js'
import { effectiveReports, readTopic, type DecodedRecord } from '../../src/kafka-log.js'
import { until } from '../../src/until.js'
import { endsOf } from '../../src/webhook-receiver.js'
import type { Installation } from './installation.js'
import type { Customers, SubmittedJob } from './load.js'

/** Only a hang takes longer. */
const LIMIT_MS = 300_000
const SHOWN = 5

/** Ids of answers that call a listed address green, starting at index `from`. */
export function falseGreens(
  answered: ReadonlyMap<string, string>,
  listed: ReadonlySet<string>,
  from = 0,
): string[] {
  return [...answered].slice(from).flatMap(([id, text]) => (isFalseGreen(text, listed) ? [id] : []))
}

const levelOf = (text: string): string => (JSON.parse(text) as { risk: { level: string } }).risk.level

function isFalseGreen(text: string, listed: ReadonlySet<string>): boolean {
  return levelOf(text) === 'green' && listed.has((JSON.parse(text) as { address: string }).address)
}

export interface Held {
  readonly answered: number
  readonly promised: number
  readonly reports: number
  readonly greens: number
  readonly jobs: number
  readonly webhooks: number
  /** Records of one report beyond the first; no reader sees them. */
  readonly repeatedRecords: number
}

/** Call it after the load has ended. Throws if a check fails. */
export async function expectAllHeld(
  installation: Installation,
  customers: Customers,
  listed: ReadonlySet<string>,
): Promise<Held> {
  const { screens, jobs, receiver } = customers
  expect([...screens.offences, ...customers.offences, ...receiver.offences].slice(0, SHOWN)).toEqual([])
  for (const each of jobs) expectExact(each)
  await expectWebhooks(customers)
  const ready = await asReadyLine(installation)
  const requests = [
    ...(await readTopic(ready, 'screening.screen.events.v1')),
    ...(await readTopic(ready, 'screening.bulk-screen.events.v1')),
  ]
  const records = await until('a report for every request', LIMIT_MS, async () => {
    const found = await readTopic(ready, 'screening.report.events.v1')
    const ids = new Set(found.map(({ key }) => key))
    return requests.every(({ key }) => ids.has(key)) ? found : null
  })
  expectOneRequestEach(requests)
  const reports = effectiveReports(records)
  expectInLog(screens.answered, reports)
  const rows = await expectInView(installation, customers, reports)
  const documents = rows.flatMap(({ id, document }) => (document === null ? [] : [[id, document] as const]))
  expect(falseGreens(new Map(documents), listed).slice(0, SHOWN)).toEqual([])
  const greens = documents.filter(([, text]) => levelOf(text) === 'green').length
  // The search for false greens proves nothing if no answer is green.
  expect(greens, documents.find(([, text]) => levelOf(text) !== 'red')?.[1]).toBeGreaterThan(0)
  return {
    ...{ answered: screens.answered.size, promised: screens.promised.size, reports: reports.size, greens },
    ...{ jobs: jobs.length, webhooks: receiver.accepted().size },
    repeatedRecords: records.length - reports.size,
  }
}

function expectExact({ addresses, job }: SubmittedJob): void {
  expect(job).toMatchObject({
    ...{ status: 'completed', total: addresses.length, cancelled: 0 },
    ...{ completed: addresses.length, failed: 0 },
  })
  expect(job.results!.map(({ address }) => address)).toEqual(addresses)
  const reportOf = new Map<string, string>()
  for (const { address, report } of job.results!) {
    expect(report?.address).toBe(address)
    expect(reportOf.get(address) ?? report!.report_id).toBe(report!.report_id)
    reportOf.set(address, report!.report_id)
  }
  expect(new Set(reportOf.values()).size).toBe(reportOf.size)
}

/** Expects one message for each job, however often a message was sent again. */
async function expectWebhooks({ jobs, receiver }: Customers): Promise<void> {
  const wrong = (): string[] => {
    const ends = endsOf(receiver)
    return jobs.map(({ job }) => job.job_id).filter((id) => ends.get(id)?.length !== 1)
  }
  await until('the webhook of each job', LIMIT_MS, async () => wrong().length === 0).catch(() => undefined)
  expect(wrong().slice(0, SHOWN)).toEqual([])
}

/** The settings that readers of topics need to find the brokers and their password. */
async function asReadyLine({ folder, cluster, registryUrl }: Installation): Promise<ReadyLine> {
  const { brokers, sasl } = cluster.access
  await writeFile(join(folder, 'run.json'), JSON.stringify({ kafkaSasl: sasl }), { mode: 0o600 })
  return { home: folder, log: { kind: 'kafka', brokers, registry: registryUrl } } as unknown as ReadyLine
}

function expectOneRequestEach(requests: readonly DecodedRecord[]): void {
  const events = new Map<string, Set<string>>()
  for (const { key, id } of requests) events.set(key, (events.get(key) ?? new Set()).add(id))
  expect([...events].filter(([, ids]) => ids.size > 1).slice(0, SHOWN)).toEqual([])
}

function expectInLog(
  answered: ReadonlyMap<string, string>,
  reports: ReadonlyMap<string, DecodedRecord>,
): void {
  const different = [...answered].filter(([id, text]) => reports.get(id)?.value['report'] !== text)
  expect(different.map(([id]) => id).slice(0, SHOWN)).toEqual([])
}

interface Row {
  readonly id: string
  readonly document: string | null
}

/** Expects each report of the log once in the view, with its bytes, and nothing else; and every promised report. */
async function expectInView(
  { databaseUrl }: Installation,
  { screens }: Customers,
  reports: ReadonlyMap<string, DecodedRecord>,
): Promise<Row[]> {
  const database = openDatabase({
    ...{ connectionString: databaseUrl, maxConnections: 1, statementTimeoutMs: 0 },
    applicationName: 'cluster-faults',
  })
  try {
    const rows = await until('every report in the view', LIMIT_MS, async () => {
      const found = await database.query<Row>(
        'SELECT report_id AS id, document FROM report_view.report ORDER BY 1',
      )
      return found.length >= reports.size ? found : null
    })
    expect(rows.map(({ id }) => id)).toEqual([...reports.keys()].sort())
    const different = rows.filter(
      ({ id, document }) => document !== null && reports.get(id)!.value['report'] !== document,
    )
    expect(different.map(({ id }) => id).slice(0, SHOWN)).toEqual([])
    const documents = new Map(rows.map(({ id, document }) => [id, document]))
    const lost = [...screens.answered.keys(), ...screens.promised].filter((id) => !documents.get(id))
    expect(lost.slice(0, SHOWN)).toEqual([])
    return [...rows]
  } finally {
    await database.close()
  }
}
