/** GET /usage/days.csv: the use of each key on each day of a range as a file, page after page as the API has it. */
import { Readable } from 'node:stream'
import { csvCell } from '@cupel/reports/document'
import { type ListPage, ApiProblem, page, raw, type Page, type PageAnswer } from '@cupel/console'
import { pagesAsLines } from '../audit/export-audit.js'
import { faultOf } from '../audit/show-audit.js'
import { dayAfter } from '@cupel/reports/pages'
import type { Counts } from './usage-answer.js'

/** Rows of one file: a thousand keys for three months. */
export const MAX_ROWS = 100_000
const PAGE_SIZE = 200

type KeyDay = Counts & { readonly day: string; readonly key_id: string }
const columns = ['day', 'key_id', 'calls', 'screens', 'problems', 'rate_limited'] as const

/** A page of the API may end within a day. */
const missingText = (last: KeyDay | undefined): string =>
  last === undefined
    ? 'The file ends here: more is missing.'
    : `The file ends here: what follows ${last.key_id} on ${last.day} and all earlier days are missing.`

export const exportUsage: Page = {
  method: 'GET',
  path: '/usage/days.csv',
  access: 'session',
  async handle({ api, query, signal }): Promise<PageAnswer> {
    const [from, to] = [query.get('from') ?? '', query.get('to') ?? '']
    const read = (token: string | null): Promise<ListPage<KeyDay>> =>
      api.get<ListPage<KeyDay>>('/v1/usage/days', {
        ...{
          from: from === '' ? null : from,
          to: to === '' ? null : dayAfter(to),
          page_size: PAGE_SIZE,
          page_token: token,
        },
      })
    let first: ListPage<KeyDay>
    try {
      // Read before the answer begins, so that a wrong range is a page and no file.
      first = await read(null)
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.status !== 400) throw error
      return page('Usage', faultOf(error), { section: '/usage', status: 400 })
    }
    const lines = pagesAsLines({
      ...{ first, read, signal, maxItems: MAX_ROWS },
      head: `${columns.join(',')}\r\n`,
      line: (one) => `${columns.map((name) => csvCell(one[name])).join(',')}\r\n`,
      more: (last) => `${csvCell(missingText(last))}\r\n`,
    })
    const name = ['cupel-usage', from, to].filter((part) => /^[\d-]+$|^cupel/.test(part)).join('-')
    return raw(Readable.from(lines), {
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': `attachment; filename="${name}.csv"`,
    })
  },
}
