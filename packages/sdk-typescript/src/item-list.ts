import type { Page } from './answers.js'
import { CupelError } from './errors.js'

/** Fetches one page; undefined requests the first one. */
export type FetchPage<T> = (pageToken: string | undefined) => Promise<Page<T>>

/**
 * A list that is fetched page by page while it is read:
 * `for await (const report of cupel.reports.list()) …`. Nothing is fetched before that. Each iteration starts from the beginning.
 */
export class ItemList<T> implements AsyncIterable<T> {
  readonly #fetchPage: FetchPage<T>
  readonly #first: string | undefined

  constructor(fetchPage: FetchPage<T>, first?: string) {
    this.#fetchPage = fetchPage
    this.#first = first
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) yield* page.items
  }

  /** The list page by page. The `next_page_token` of a page is the `pageToken` with which the list can be continued later. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    const seen = new Set<string>()
    let token = this.#first
    for (;;) {
      const page = await this.#fetchPage(token)
      yield page
      if (page.next_page_token === null) return
      if (seen.has(page.next_page_token))
        throw new CupelError('The list does not end: a page token came a second time.')
      seen.add(page.next_page_token)
      token = page.next_page_token
    }
  }

  /** Only the first page. */
  firstPage(): Promise<Page<T>> {
    return this.#fetchPage(this.#first)
  }

  /** All items, or the first `most`. */
  async toArray(most = Infinity): Promise<T[]> {
    const items: T[] = []
    if (most <= 0) return items
    for await (const item of this) {
      items.push(item)
      if (items.length >= most) break
    }
    return items
  }
}
