import type { AuditCursor, AuditEntry, AuditPage } from '../../read-model/queries.js'
import { expect, test } from 'vitest'
import type { LargeRead } from '@cupel/gate/http'
import { listAuditLog } from './list-audit-log.js'

const entries = Array.from({ length: 470 }, (_, index): AuditEntry => ({
  ...{ requestId: `request ${index}`, keyId: 'key', scope: 'read-only', clientAddress: '192.0.2.1' },
  ...{ method: 'GET', route: '/v1/chains', status: 200, code: null, subjectIds: [], latencyMs: 1 },
  ...{ at: '2026-11-21T09:00:00.000Z', actor: null },
}))

function open() {
  const read: number[] = []
  let slices = 0
  const list = (
    _caller: unknown,
    query: { pageSize: number; after: AuditCursor | null },
  ): Promise<AuditPage> => {
    read.push(query.pageSize)
    const from =
      query.after === null
        ? 0
        : entries.findIndex(({ requestId }) => requestId === query.after!.requestId) + 1
    const items = entries.slice(from, from + query.pageSize)
    const last = items.at(-1)
    const isEnd = from + items.length === entries.length
    return Promise.resolve({
      items,
      next: isEnd || last === undefined ? null : { at: last.at, requestId: last.requestId },
    })
  }
  const slice: LargeRead['slice'] = (work) => {
    slices += 1
    return work()
  }
  const tokens = {
    seal: (_scope: unknown, position: readonly string[]) => JSON.stringify(position),
    open: (_scope: unknown, token: string) => JSON.parse(token) as string[],
  }
  const endpoint = listAuditLog({ list, tokens } as never, {
    during: (_caller, work) => work({ slice, aside: (work) => work(), close: () => undefined }),
  })
  const get = async (query: object) => {
    const answer = await endpoint.handle(
      { caller: { accountId: 'account', livemode: true } } as never,
      { query } as never,
    )
    return JSON.parse((answer as { body: string }).body) as {
      items: { request_id: string }[]
      next_page_token: string | null
    }
  }
  return { get, read, slices: () => slices }
}

test('a large page is read and written in slices, and is the page that one read gives', async () => {
  const { get, read, slices } = open()
  const found: string[] = []
  let token: string | null = null
  do {
    const page: Awaited<ReturnType<typeof get>> = await get({
      page_size: 180,
      ...(token === null ? {} : { page_token: token }),
    })
    found.push(...page.items.map(({ request_id }) => request_id))
    token = page.next_page_token
  } while (token !== null)
  expect(found).toEqual(entries.map(({ requestId }) => requestId))
  expect(read).toEqual([50, 50, 50, 30, 50, 50, 50, 30, 50, 50, 50])
  expect(slices()).toBe(read.length)
})

test('a page that looks through many entries does so once, and a small one takes no turn', async () => {
  const { get, read, slices } = open()
  await get({ page_size: 200, route: '/v1/chains' })
  expect([read, slices()]).toEqual([[200], 1])
  await get({ page_size: 16 })
  expect([read, slices()]).toEqual([[200, 16], 1])
})
