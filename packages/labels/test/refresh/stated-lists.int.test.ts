/** What a publisher states of its list, and what a refresh would change, before and after it comes. */
import { createHash } from 'node:crypto'
import { noMetrics, type Labels, type Metrics } from '@cupel/contracts'
import { until } from '@cupel/testkit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listStatuses, previewRefreshes, startRefreshes } from '../../src/index.js'
import { parseRefreshPlan } from '../../src/refresh/refresh-plan.js'
import { listOf, openRefreshInstallation, type RefreshInstallation } from './installation.js'
import { startListServer, type ListServer } from './list-server.js'

let installation: RefreshInstallation
let server: ListServer
let number = 0
let set = ''
let entry: Record<string, unknown> = {}
beforeAll(async () => {
  installation = await openRefreshInstallation()
})
afterAll(() => installation.close())
beforeEach(async () => {
  server = await startListServer()
  number += 1
  set = `stated-${number}`
  entry = { set, format: 'csv', url: server.url, every: '6h' }
})
afterEach(() => server.close())

const refresh = (changes: object = {}, now?: () => Date) =>
  installation.refresh([{ ...entry, ...changes }], now === undefined ? {} : { now })
/** Longer than the time in which a set is not confirmed again. */
const later = (): Date => new Date(Date.now() + 7_200_000)

describe('a list of which its publisher states a checksum', () => {
  const digest = (algorithm: string, text: string) => createHash(algorithm).update(text).digest('hex')
  /** The list, and the document with its checksum if there is one. */
  function publish(list: string, checksums: string | null): object {
    server.answer = (request, response) => {
      if (!(request.url ?? '').endsWith('/index.json')) response.writeHead(200).end(list)
      else if (checksums === null) response.writeHead(404).end()
      else response.writeHead(200).end(checksums)
    }
    return { checksum_url: server.url.replace('list.csv', 'index.json') }
  }

  test.each(['sha256', 'sha512', 'sha1'])('in %s is imported', async (algorithm) => {
    const stated = JSON.stringify({ files: [{ name: 'list.csv', checksum: digest(algorithm, listOf(3)) }] })
    expect(await refresh(publish(listOf(3), stated.toUpperCase()))).toMatchObject([{ outcome: 'imported' }])
  })

  test.each([
    ['of another file', digest('sha256', listOf(4)), /states no SHA-256/],
    ['of MD5 only', digest('md5', listOf(3)), /states no SHA-256/],
    ['as a part of a longer one', `${digest('sha1', listOf(3))}00`, /states no SHA-256/],
    ['nowhere', null, /The checksum is missing: The server answered with status 404/],
  ])('%s is refused, and the published list stays', async (_, stated, words) => {
    server.serve(listOf(2))
    await refresh()
    expect(await refresh(publish(listOf(3), stated))).toMatchObject([
      { outcome: 'checksum', succeeded: false, detail: expect.stringMatching(words) as string },
    ])
    expect(await installation.set(set)).toMatchObject({ total: 2 })
  })
})

test('an answer "unchanged" counts only while the publisher states the checksum of the file', async () => {
  let [list, stated] = [listOf(3), listOf(3)]
  let fetches = 0
  server.answer = (request, response) => {
    if ((request.url ?? '').endsWith('/index.json'))
      response.writeHead(200).end(createHash('sha1').update(stated).digest('hex'))
    else if (request.headers['if-none-match'] === '"one"') response.writeHead(304).end()
    else {
      fetches += 1
      response.writeHead(200, { etag: '"one"' }).end(list)
    }
  }
  const checked = { checksum_url: server.url.replace('list.csv', 'index.json') }
  expect(await refresh(checked)).toMatchObject([{ outcome: 'imported' }])
  expect(await refresh(checked, later)).toMatchObject([{ outcome: 'unchanged' }])
  expect(fetches).toBe(1)
  stated = listOf(4)
  expect(await refresh(checked, later)).toMatchObject([{ outcome: 'checksum', succeeded: false }])
  expect(await installation.set(set)).toMatchObject({ total: 3 })
  list = stated
  expect(await refresh(checked, later)).toMatchObject([{ outcome: 'imported' }])
  expect(await installation.set(set)).toMatchObject({ total: 4 })
})

test('a preview says what a refresh would change, and records nothing', async () => {
  const lists = parseRefreshPlan(JSON.stringify({ lists: [entry] }))
  const preview = () => previewRefreshes({ ...installation.deps, lists }, new AbortController().signal)
  const { log } = installation.deps
  const records = await log.endOffset('screening.label.events.v1', 0)
  server.serve(listOf(3))
  expect(await preview()).toEqual([
    expect.objectContaining({
      name: set,
      outcome: 'would-import',
      succeeded: true,
      detail: expect.stringMatching(/^3 added/) as string,
    }),
  ])
  expect(await installation.set(set)).toBeUndefined()
  expect(await listStatuses(installation.database, [set])).toEqual([])
  expect(await log.endOffset('screening.label.events.v1', 0)).toBe(records)
  await refresh()
  expect(await preview()).toMatchObject([
    { outcome: 'would-import', detail: expect.stringMatching(/^0 added, 0 changed, 0 retired/) as string },
  ])
  server.answer = (_request, response) => response.writeHead(500).end()
  expect(await preview()).toMatchObject([{ outcome: 'status', succeeded: false }])
})

test('the time since which a list has not changed is kept and measured, with what the plan expects', async () => {
  const status = async () => (await listStatuses(installation.database, [set]))[0]!
  server.serve(listOf(3))
  await refresh()
  const first = await status()
  expect(first.changedAt).toBe(first.succeededAt)
  await refresh({}, later)
  expect(await status()).toMatchObject({ changedAt: first.changedAt })
  expect((await status()).succeededAt! > first.changedAt!).toBe(true)
  await installation.database.execute(
    `UPDATE labels.refreshed_list SET changed_at = changed_at - interval '2 days', due_at = now() + interval '1 hour' WHERE name = $1`,
    [set],
  )
  const gauges = new Map<string, number>()
  const metrics: Metrics = {
    ...noMetrics,
    gauge: (name) => ({
      ...noMetrics.gauge('', '', []),
      set: (value: number, { list }: Labels = {}) => void gauges.set(`${name} ${list}`, value),
    }),
  }
  const lists = parseRefreshPlan(JSON.stringify({ lists: [{ ...entry, changes_within: '1d' }] }))
  const running = startRefreshes({ ...installation.deps, metrics, lists, pollMs: 20 })
  await until(() => expect(gauges.get(`label_list_unchanged_seconds ${set}`)).toBeGreaterThan(172_800))
  expect(gauges.get(`label_list_changes_within_seconds ${set}`)).toBe(86_400)
  await running.stop()
  server.serve(listOf(4))
  await refresh()
  expect((await status()).unchangedMs).toBeLessThan(60_000)
})
