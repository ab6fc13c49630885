import type { CallOptions } from '../transport/call.js'

export interface ListOptions extends CallOptions {
  /** Items of one page: 1 to 200. */
  readonly pageSize?: number | undefined
  /** Where to begin: `next_page_token` of an earlier page. */
  readonly pageToken?: string | undefined
}

export const listQuery = ({ pageSize }: ListOptions, pageToken: string | undefined) => ({
  page_size: pageSize,
  page_token: pageToken,
})
