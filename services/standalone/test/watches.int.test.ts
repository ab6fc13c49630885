/** Watches on every real service: from a label file to the event of the change. */
import { screenTopic, topicOf, type DomainEvent } from '@cupel/contracts'
import { importLabels } from '@cupel/labels'
import { until } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startInstallation, type Installation } from './installation.js'

let installation: Installation
let key: string
beforeAll(async () => {
  installation = await startInstallation()
  key = (await installation.key()).key
})
afterAll(() => installation.close())

const address = (n: number): string => `0x${n.toString(16).padStart(40, '0')}`
const OTHER = address(0xabc)

async function list(addresses: readonly string[]): Promise<void> {
  const rows = addresses.map(
    (one) => `${one},ETH,stolen,A Thief,my_list,https://example.org/list,0.8,2026-11-20`,
  )
  const header = 'address,chain,category,entity,source,source_url,confidence,observed_at'
  const file = await installation.file('labels.csv', `${[header, ...rows].join('\n')}\n`)
  const deps = { ...installation.deps, labelView: 'elsewhere' as const }
  const result = await importLabels({ file, format: 'csv', set: 'mine', importedBy: 'test' }, deps)
  expect(result.status).toBe('imported')
}

interface WatchBody {
  watch_id: string
  last_report: { report_id: string; level: string; score: number } | null
}

async function watched(watchId: string): Promise<WatchBody> {
  const reply = await installation.call('GET', `/v1/watches/${watchId}`, { key })
  expect(reply.status).toBe(200)
  return reply.json() as WatchBody
}

async function events<T extends DomainEvent['type']>(type: T, topic: string): Promise<DomainEvent<T>[]> {
  const records = await installation.records(topic)
  return records.flatMap((record) => installation.codec.decodeAs(type, record) ?? [])
}

test('a listed address is decided again, the others are not, and the change is told once', async () => {
  await list([OTHER])
  const body = { watches: [1, 2, 3].map((n) => ({ address: address(n), chain: 'ETH' })) }
  const made = await installation.call('POST', '/v1/watches', { key, body })
  expect(made.status, made.text).toBe(201)
  const ids = (made.json() as { items: WatchBody[] }).items.map((watch) => watch.watch_id)
  const before = await until(async () => {
    const watches = await Promise.all(ids.map(watched))
    expect(watches.filter(({ last_report: last }) => last === null)).toEqual([])
    return watches
  })
  const first = before[0]!.last_report!

  await list([OTHER, address(1)])
  const later = await until(async () => {
    const { last_report: last } = await watched(ids[0]!)
    expect(last!.report_id).not.toBe(first.report_id)
    return last!
  })
  expect(later.level).toBe('red')
  const changes = await until(async () => {
    const found = await events('ReportChanged', topicOf('ReportChanged'))
    expect(found).not.toEqual([])
    return found
  })
  expect(changes.map(({ data }) => data)).toMatchObject([
    {
      ...{ watchId: ids[0], previousReportId: first.report_id, previousLevel: first.level },
      ...{
        reportId: later.report_id,
        level: 'red',
        score: later.score,
        causes: ['labels'],
        splitMissing: null,
      },
    },
  ])
  const points = Object.values(changes[0]!.data.split!).map((part) => Math.round(part * 100))
  expect(points.reduce((sum, part) => sum + part)).toBe(Math.round((later.score - first.score) * 100))
  expect(changes[0]!.data.split!.labels).toBeGreaterThan(0)
  // The watch screens each address once, and the listed one once more.
  const requests = await events('ScreenRequested', screenTopic('bulk'))
  expect(requests.map(({ data }) => data.address).sort()).toEqual([1, 1, 2, 3].map(address))
  // It is an ordinary report.
  const report = await installation.call('GET', `/v1/reports/${later.report_id}`, { key })
  expect(report.json()).toMatchObject({ report_id: later.report_id, risk: { level: 'red' } })
  const jobs = await installation.call('GET', '/v1/bulk', { key })
  expect(jobs.json()).toMatchObject({ items: [] })
})
