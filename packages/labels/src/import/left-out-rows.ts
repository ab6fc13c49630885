/** Counts the rows of a file that gave no label. All are counted, also by reason; the first ones are listed. */

export interface LeftOutRow {
  readonly line: number
  readonly reason: string
}

export interface LeftOutRows {
  readonly count: number
  /** The first rows, in the order of the file. */
  readonly rows: readonly LeftOutRow[]
  /** Rows for each reason, the most frequent first. Text quoted from a row is replaced by `…`. */
  readonly reasons: readonly { readonly reason: string; readonly count: number }[]
}

export interface LeftOutTally {
  add(line: number, reason: string): void
  result(): LeftOutRows
}

/** Maximum number of separately counted reasons. A broken file cannot fill the memory with more. */
const MAX_REASONS = 100
const OTHER = 'another reason'

export function tallyLeftOut(maxListed: number): LeftOutTally {
  const rows: LeftOutRow[] = []
  const counts = new Map<string, number>()
  let count = 0
  return {
    result: () => ({
      count,
      rows,
      reasons: [...counts]
        .map(([reason, of]) => ({ reason, count: of }))
        .sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1)),
    }),
    add(line, reason) {
      count += 1
      if (rows.length < maxListed) rows.push({ line, reason })
      const kind = kindOf(reason)
      const counted = counts.has(kind) || counts.size < MAX_REASONS ? kind : OTHER
      counts.set(counted, (counts.get(counted) ?? 0) + 1)
    },
  }
}

/** A reason without its quotations, so that equal faults count together. Words of a file are in quotation marks. */
const kindOf = (reason: string): string => reason.replace(/"(?:[^"\\]|\\.)*"/g, '"…"')

/** `3 rows: unknown category "…"; 1 row: …`, for one sentence about a whole file. */
export function reasonsText({ reasons }: LeftOutRows): string {
  const shown = reasons
    .slice(0, 5)
    .map(({ reason, count }) => `${count} ${count === 1 ? 'row' : 'rows'}: ${reason}`)
  if (reasons.length > shown.length) shown.push('…')
  return shown.join('; ')
}
