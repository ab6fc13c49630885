/** A page of watches for a person. */
import { en, nameOf, reasonText, scoreText } from '@cupel/reports/document'
import { table } from '@cupel/command-line'

export interface WatchPage {
  readonly items: readonly {
    readonly watch_id: string
    readonly address: string
    readonly chain: string
    readonly status: string
    readonly list_reasons: readonly string[]
    readonly last_report: { readonly level: string; readonly score: number } | null
  }[]
  readonly next_page_token: string | null
}

/** The sentences come first: they say of every line that its level may be an old one. */
export function watchesText({ items, next_page_token: next }: WatchPage): string {
  if (items.length === 0) return 'No address is watched.'
  const reasons = [...new Set(items.flatMap(({ list_reasons }) => list_reasons))]
  const rows = items.map(({ watch_id, address, chain, status, last_report: last }) => [
    watch_id,
    address,
    chain,
    status,
    last === null ? 'not decided yet' : `${nameOf(en.levels, last.level)} ${scoreText(last)}`.trimEnd(),
  ])
  return [
    ...reasons.map((code) => `No watched address is green now: ${reasonText(code)}`),
    table([['WATCH', 'ADDRESS', 'CHAIN', 'STATUS', 'LAST LEVEL'], ...rows]),
    ...(next === null ? [] : [`There are more: --page-token ${next}`]),
  ].join('\n')
}
