import { mkdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { noMetrics, type Labels, type Metrics } from '@cupel/contracts'
import { refreshDue, startRefreshes, listStatuses } from '../../src/index.js'
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
afterAll(async () => await installation.close())
beforeEach(async () => {
  server = await startListServer()
  number += 1
  set = `list-${number}`
  entry = { set, format: 'csv', url: server.url, every: '6h' }
})
afterEach(async () => await server.close())

const refresh = (changes: object = {}, now?: () => Date) =>
  installation.refresh([{ ...entry, ...changes }], now === undefined ? {} : { now })
/** Longer than the time in which a set is not confirmed again. */
const later = (): Date => new Date(Date.now() + 7_200_000)

describe('a list at a URL', () => {
  test('is imported, and from then on required to be fresh', async () => {
    server.serve(listOf(3))
    expect(await refresh()).toMatchObject([{ name: set, outcome: 'imported', succeeded: true }])
    expect(await installation.set(set)).toMatchObject({
      total: 3,
      refreshConfigured: true,
      importedBy: 'cupel/label-refresher',
    })
    expect(server.requests[0]!.headers).toMatchObject({ 'accept-encoding': 'identity' })
  })

  test('that is unchanged is not fetched again but confirmed, so that its age counts from then on', async () => {
    server.serve(listOf(3), { 'last-modified': 'Fri, 20 Nov 2026 00:00:00 GMT' })
    await refresh()
    const before = await installation.set(set)
    expect(await refresh({}, later)).toMatchObject([{ outcome: 'unchanged', succeeded: true }])
    expect(server.requests[1]!.headers).toMatchObject({
      'if-none-match': expect.stringMatching(/^"/) as string,
      'if-modified-since': 'Fri, 20 Nov 2026 00:00:00 GMT',
    })
    const after = await installation.set(set)
    expect(after).toMatchObject({ total: 3, added: 0, unchanged: 3, retired: 0, refreshConfigured: true })
    expect(after!.publishedAt > before!.publishedAt).toBe(true)
    expect(after!.sha256).toBe(before!.sha256)
    // A refresh soon afterwards has nothing to confirm, so it does not fill the log.
    await refresh()
    expect(await installation.publications('my_list', set)).toHaveLength(2)
  })

  test('that changed is compared with what is published', async () => {
    server.serve(listOf(3))
    await refresh()
    server.serve(listOf(5))
    expect(await refresh()).toMatchObject([
      { outcome: 'imported', detail: expect.stringContaining('2 added') as string },
    ])
    expect(await installation.set(set)).toMatchObject({ total: 5, unchanged: 3 })
  })

  test('is fetched whole where an operator imported another file under its name meanwhile', async () => {
    server.serve(listOf(3))
    await refresh()
    const file = join(installation.folder, `${set}.csv`)
    await writeFile(file, listOf(4))
    await installation.import({ file, set })
    expect(await installation.set(set)).toMatchObject({ total: 4, refreshConfigured: false })
    // What the operator replaced does not return by itself.
    expect(await refresh()).toMatchObject([{ outcome: 'superseded', succeeded: false }])
    expect(await installation.set(set)).toMatchObject({ total: 4 })
    server.serve(listOf(5))
    expect(await refresh()).toMatchObject([{ outcome: 'imported' }])
    expect(await installation.set(set)).toMatchObject({ total: 5, refreshConfigured: true })
  })

  test('is asked without what was known of another place', async () => {
    server.serve(listOf(3))
    await refresh()
    await refresh({ url: `${server.url}?other` })
    expect(server.requests[1]!.headers['if-none-match']).toBeUndefined()
  })
})

describe('what goes wrong keeps the set that is published', () => {
  beforeEach(async () => {
    server.serve(listOf(30))
    await refresh()
  })

  const fails = async (outcome: string, changes: object = {}): Promise<void> => {
    const before = await installation.set(set)
    expect(await refresh(changes)).toMatchObject([{ outcome, succeeded: false }])
    expect(await installation.set(set)).toEqual(before)
  }

  test('a removal that is too large, until an operator accepts it by hand', async () => {
    server.serve(listOf(10))
    await fails('too-many-removals')
    const file = join(installation.folder, `${set}-accepted.csv`)
    await writeFile(file, listOf(10))
    await installation.import({ file, set, acceptRemovals: 20, reason: 'the source withdrew them' })
    expect(await refresh()).toMatchObject([{ outcome: 'imported' }])
    expect(await installation.set(set)).toMatchObject({ total: 10, retired: 0, refreshConfigured: true })
  })

  test('an error page', async () => {
    server.answer = (_request, response) => response.writeHead(200).end('<html>We are sorry</html>')
    await fails('wrong-header')
  })

  test.each([500, 403, 404, 204])('an answer with status %i', async (status) => {
    server.answer = (_request, response) => response.writeHead(status).end()
    await fails('status')
  })

  test('a file that is larger than allowed, announced or not', async () => {
    await fails('too-large', { max_bytes: 100, url: `${server.url}?announced` })
    server.answer = (_request, response) => {
      response.writeHead(200)
      for (let line = 0; line < 50; line += 1) response.write(listOf(5))
      response.end()
    }
    await fails('too-large', { max_bytes: 1_000 })
  })

  test('a connection that ends in the middle', async () => {
    server.answer = (_request, response) => {
      response.writeHead(200, { 'content-length': '100000' })
      response.write(listOf(3), () => response.destroy())
    }
    await fails('unreachable')
  })

  test('a server that is not there', async () => {
    await fails('unreachable', { url: 'http://127.0.0.1:1/list.csv' })
  })

  test('a redirect to a host that was not declared', async () => {
    const other = await startListServer()
    other.serve(listOf(31))
    server.answer = (_request, response) => response.writeHead(302, { location: other.url }).end()
    try {
      await fails('redirect-refused')
      expect(other.requests).toEqual([])
      expect(await refresh({ hosts: [`127.0.0.1:${other.port}`] })).toMatchObject([{ outcome: 'imported' }])
      expect(other.requests).toHaveLength(1)
    } finally {
      await other.close()
    }
  })

  test('a redirect in a circle, or nowhere', async () => {
    server.answer = (_request, response) => response.writeHead(302, { location: server.url }).end()
    await fails('redirect-refused')
    server.answer = (_request, response) => response.writeHead(302).end()
    await fails('redirect-refused')
  })

  test('an answer that is compressed although that was not asked for', async () => {
    server.answer = (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('x')
    await fails('encoded')
  })

  test('a source that stands still: by the date of its file, or by that of the list', async () => {
    server.serve(listOf(30), { 'last-modified': 'Mon, 01 Jan 2024 00:00:00 GMT' })
    await fails('too-old', { max_age: '30d', url: `${server.url}?by-header` })
    server.serve(listOf(30, '2024-01-01'))
    await fails('too-old', { max_age: '30d', url: `${server.url}?by-list` })
  })

  test('an old list that is answered as unchanged is not confirmed', async () => {
    const before = await installation.set(set)
    expect(await refresh({ max_age: '1d' }, () => new Date('2027-06-01'))).toMatchObject([
      { outcome: 'too-old' },
    ])
    expect(await installation.set(set)).toEqual(before)
  })
})

describe('a list in a folder', () => {
  const settled = new Date(Date.now() - 60_000)

  test('is the newest file that is whole', async () => {
    const folder = join(installation.folder, set)
    await mkdir(folder)
    const put = async (name: string, text: string, at: Date): Promise<void> => {
      await writeFile(join(folder, name), text)
      await utimes(join(folder, name), at, at)
    }
    await put('monday.csv', listOf(3), new Date(settled.getTime() - 60_000))
    await put('tuesday.csv', listOf(4), settled)
    await put('wednesday.csv.part', listOf(2), new Date(settled.getTime() + 1_000))
    await put('.hidden', listOf(2), new Date(settled.getTime() + 1_000))
    const place = { url: undefined, path: folder }
    expect(await refresh(place)).toMatchObject([{ outcome: 'imported' }])
    expect(await installation.set(set)).toMatchObject({ total: 4 })
    expect(await refresh(place)).toMatchObject([{ outcome: 'unchanged' }])
    await put('thursday.csv', listOf(5), later())
    // Its writer may not have finished the file.
    expect(await refresh(place)).toMatchObject([{ outcome: 'not-found' }])
    await put('thursday.csv', listOf(5), new Date(settled.getTime() + 2_000))
    expect(await refresh(place)).toMatchObject([{ outcome: 'imported' }])
    expect(await installation.set(set)).toMatchObject({ total: 5 })
  })

  test('that is empty or missing is reported', async () => {
    expect(await refresh({ url: undefined, path: join(installation.folder, 'nowhere') })).toMatchObject([
      { outcome: 'not-found', succeeded: false },
    ])
  })
})

describe('the schedule', () => {
  test('refreshes a list once it is due, and one process at a time', async () => {
    server.serve(listOf(3))
    const deps = { ...installation.deps, lists: parseRefreshPlan(JSON.stringify({ lists: [entry] })) }
    const { signal } = new AbortController()
    const runs = await Promise.all([1, 2, 3].map(() => refreshDue(deps, { signal })))
    expect(runs.flat()).toHaveLength(1)
    expect(await refreshDue(deps, { signal })).toEqual([])
    await installation.database.execute('UPDATE labels.refreshed_list SET due_at = now() WHERE name = $1', [
      set,
    ])
    expect(await refreshDue(deps, { signal })).toHaveLength(1)
  })

  test('continues with the list of a killed process after its lease has expired', async () => {
    server.serve(listOf(3))
    const deps = { ...installation.deps, lists: parseRefreshPlan(JSON.stringify({ lists: [entry] })) }
    const { signal } = new AbortController()
    await refreshDue(deps, { signal })
    const lease = (until: string) =>
      installation.database.execute(
        `UPDATE labels.refreshed_list SET due_at = now(), leased_by = 'the dead', leased_until = now() + $2::interval WHERE name = $1`,
        [set, until],
      )
    await lease('1 minute')
    expect(await refreshDue(deps, { signal })).toEqual([])
    await lease('-1 second')
    expect(await refreshDue(deps, { signal })).toHaveLength(1)
  })

  test('retries a failing source after growing delays, and shows the failures in metrics and status', async () => {
    const counted: Labels[] = []
    const metrics: Metrics = {
      ...noMetrics,
      counter: (name) => ({
        inc: (labels) => void (name === 'label_refreshes_total' && counted.push(labels ?? {})),
      }),
    }
    const deps = {
      ...installation.deps,
      metrics,
      lists: parseRefreshPlan(JSON.stringify({ lists: [entry] })),
    }
    const { signal } = new AbortController()
    const dueInMs = async (): Promise<number> => {
      const [status] = await listStatuses(installation.database, [set])
      return Date.parse(status!.dueAt) - Date.parse(status!.attemptedAt!)
    }
    for (const minutes of [5, 10, 20]) {
      await refreshDue(deps, { signal, force: true })
      expect(Math.round((await dueInMs()) / 60_000)).toBe(minutes)
    }
    const [status] = await listStatuses(installation.database, [set])
    expect(status).toMatchObject({ outcome: 'status', failures: 3, succeededAt: null, isRunning: false })
    expect(counted).toEqual([1, 2, 3].map(() => ({ list: set, outcome: 'status' })))
    server.serve(listOf(1))
    await refreshDue(deps, { signal, force: true })
    expect(await listStatuses(installation.database, [set])).toMatchObject([
      { outcome: 'imported', failures: 0 },
    ])
    expect(Math.round((await dueInMs()) / 3_600_000)).toBe(6)
  })

  test('aborts a download when the service stops, and continues after a restart', async () => {
    let asked = (): void => undefined
    const isAsked = new Promise<void>((resolve) => (asked = resolve))
    server.answer = (_request, response) => {
      response.writeHead(200)
      response.write(listOf(1))
      asked()
    }
    const lists = parseRefreshPlan(JSON.stringify({ lists: [entry] }))
    const running = startRefreshes({ ...installation.deps, lists })
    await isAsked
    await running.stop()
    expect(await installation.set(set)).toMatchObject({ kind: 'expected', total: 0 })
    server.serve(listOf(2))
    const { signal } = new AbortController()
    expect(await refreshDue({ ...installation.deps, lists }, { signal })).toMatchObject([
      { outcome: 'imported' },
    ])
  })
})

describe('a list with a companion', () => {
  const nothing = Array<string>(7).fill('-0- ').join(',')
  const sdn = `1,"LIFSHITS, Artem","individual","CYBER2",${nothing},"Digital Currency Address - ETH 0x1111111111111111111111111111111111"\r\n`
  const comments = '1,"111111; Linked To: OTHERS."\r\n'

  test('is read with it, and whole every time: the list may be unchanged while its companion is not', async () => {
    const lists = await startListServer()
    const paths: string[] = []
    lists.answer = (request, response) => {
      paths.push(request.url!)
      response.writeHead(200, { etag: '"1"' }).end(request.url === '/sdn.csv' ? sdn : comments)
    }
    const url = `http://127.0.0.1:${lists.port}`
    const changes = { format: 'ofac-csv', url: `${url}/sdn.csv`, companion_url: `${url}/comments.csv` }
    try {
      expect(await refresh(changes)).toMatchObject([{ outcome: 'imported' }])
      expect(await installation.set(set)).toMatchObject({
        source: 'ofac_sdn',
        total: 1,
        authorityOrigin: 'us-ofac',
      })
      await refresh(changes)
      expect(paths).toEqual(['/sdn.csv', '/comments.csv', '/sdn.csv', '/comments.csv'])
      expect(lists.requests.every(({ headers }) => headers['if-none-match'] === undefined)).toBe(true)
      expect(await refresh({ ...changes, companion_url: 'http://127.0.0.1:1/comments.csv' })).toMatchObject([
        { outcome: 'companion', succeeded: false },
      ])
    } finally {
      await lists.close()
    }
  })
})

describe('the list of an authority is confirmed', () => {
  const header = 'address,chain,category,entity,source,source_url,confidence,observed_at'
  const ofac = `${header}\n0x${'1'.repeat(40)},ETH,sanctions,Somebody,ofac_sdn,https://example.org/,0.99,2026-11-10\n`
  const whole = { whole: true }
  const own = { ...whole, own_address_of: 'us-ofac' }

  test('by a refresh from its own address, when it is imported and when it is unchanged', async () => {
    server.serve(ofac)
    const before = new Date().toISOString()
    await refresh(own)
    const imported = await installation.set(set)
    expect(imported).toMatchObject({ whole: true, asOf: '2026-11-10T00:00:00.000Z' })
    expect(imported!.confirmedAt! >= before).toBe(true)
    const at = later()
    await refresh(own, () => at)
    expect(await installation.set(set)).toMatchObject({
      confirmedAt: at.toISOString(),
      whole: true,
      retired: 0,
    })
  })

  test('neither by a refresh from another address nor by hand', async () => {
    server.serve(ofac)
    await refresh(whole)
    await refresh(whole, later)
    expect(await installation.set(set)).toMatchObject({ whole: true, confirmedAt: null })
    await refresh({ ...own, url: `${server.url}?own` })
    expect(await installation.set(set)).not.toMatchObject({ confirmedAt: null })
    const file = join(installation.folder, `${set}.csv`)
    await writeFile(file, ofac)
    await installation.import({ file, set, whole: true })
    expect(await installation.set(set)).toMatchObject({ confirmedAt: null, refreshConfigured: false })
  })

  test('never by a list that is older than the one in force: that is a failure which an operator sees', async () => {
    server.serve(ofac)
    await refresh(own)
    const inForce = await installation.set(set)
    server.serve(ofac.replace('2026-11-10', '2026-10-10'))
    expect(await refresh(own)).toMatchObject([
      { outcome: 'older', succeeded: false, detail: expect.stringContaining('adds history') as string },
    ])
    expect(await installation.set(set)).toEqual(inForce)
  })

  test('not where its labels are not all here: then it is imported again', async () => {
    server.serve(ofac)
    await refresh(own)
    await installation.database.execute('UPDATE label_view.publication SET visible = 0 WHERE dataset = $1', [
      set,
    ])
    expect(await refresh(own, later)).toMatchObject([{ outcome: 'imported' }])
    expect(await installation.set(set)).toMatchObject({ total: 1, visible: 1 })
  })
})
