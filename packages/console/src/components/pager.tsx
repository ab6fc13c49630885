/** The links of a list that is newest first: on to older items, and back to the newest. */
interface PagerProps {
  /** Path of the list. */
  readonly path: string
  /** The filters of the list, with the token of this page where it is not the first one. */
  readonly query: URLSearchParams
  /** Null at the end. */
  readonly next: string | null
  /** This page found few items among those it looked through, and older ones are left. */
  readonly isSearch?: boolean
}

const TOKEN = 'page_token'

export function Pager({ path, query, next, isSearch = false }: PagerProps) {
  const isFirst = !query.has(TOKEN)
  if (isFirst && next === null) return null
  return (
    <nav class="pager no-print" aria-label="Pages">
      {isFirst ? null : (
        <a class="button plain" href={path + withToken(query, null)}>
          ← Newest
        </a>
      )}
      {next === null ? (
        <span class="quiet">This is the end of the list.</span>
      ) : (
        <a class="button plain" href={path + withToken(query, next)} rel="next">
          {isSearch ? 'Search older ones →' : 'Older →'}
        </a>
      )}
    </nav>
  )
}

function withToken(query: URLSearchParams, token: string | null): string {
  const changed = new URLSearchParams(query)
  changed.delete(TOKEN)
  if (token !== null) changed.set(TOKEN, token)
  const text = changed.toString()
  return text === '' ? '' : `?${text}`
}
