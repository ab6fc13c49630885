import { pageOf } from '../answers.js'
import { ItemList } from '../item-list.js'
import type { Call, CallOptions } from '../transport/call.js'
import type { Transport } from '../transport/transport.js'

export interface ListOptions extends CallOptions {
  /** Items of one page: 1 to 200; for jobs 1 to 50. */
  readonly pageSize?: number | undefined
  /** Where to start: `next_page_token` of an earlier page. */
  readonly pageToken?: string | undefined
}

/** A time: a Date, or a text in RFC 3339 form. */
export type Time = Date | string

export const timeText = (time: Time | undefined): string | undefined =>
  time instanceof Date ? time.toISOString() : time

/** The list at `path`, of the items that `query` describes. */
export function listOf<T>(
  transport: Transport,
  path: string,
  options: ListOptions,
  query: Call['query'] = {},
): ItemList<T> {
  return new ItemList(async (pageToken) => {
    const all = { ...query, page_size: options.pageSize, page_token: pageToken }
    return pageOf<T>(await transport({ method: 'GET', path, query: all, repeat: 'safe', options }))
  }, options.pageToken)
}
