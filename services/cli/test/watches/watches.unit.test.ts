/** The changes of `cupel watches` call the API as it is described. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openAnsweringApi, type AnsweringApi } from '../answering-api.js'

let api: AnsweringApi
beforeAll(async () => void (api = await openAnsweringApi()))
afterAll(() => api.close())

test('watches are added and removed, and listed without a word more', async () => {
  const watch = {
    ...{ watch_id: 'wat_1', address: '0xA', chain: 'ETH', status: 'active' },
    ...{ list_reasons: [], last_report: null },
  }
  await api.run({ items: [watch] }, 'watches', 'add', '0xA', '0xB', '--reference', 'desk', '--digest')
  expect(api.calls[0]!.body).toEqual({
    watches: ['0xA', '0xB'].map((address) => ({ address, reference: 'desk', digest: true })),
  })
  expect(await api.run({}, 'watches', 'remove', 'wat_1')).toBe('Watch wat_1 has ended.')
  expect(api.calls[0]!.call).toBe('DELETE /v1/watches/wat_1')
  expect(await api.run({ items: [watch], next_page_token: null }, 'watches')).toContain('not decided yet')
  expect(api.calls[0]!.call).toBe('GET /v1/watches')
})
