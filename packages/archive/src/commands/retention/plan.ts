/** Which months of reports an archive keeps as well as the installation does, and what may leave: decided from what was read. */

/** A month of UTC: `2026-01`. */
export type Month = string

export interface MonthFacts {
  readonly month: Month
  /** Rows of the read model, failed screenings included. */
  readonly reports: number
  /** Documents that are still in their rows. */
  readonly documents: number
  /** Of these as Postgres stores them: without indexes, row heads and other columns. */
  readonly documentBytes: number
  /** Rows that the archive gives with the same bytes. */
  readonly archived: number
  /** Of these, reports without a leaf in the signed tree head that the archive names. */
  readonly beyondHead: number
  /** Keys and values of their records, before the log compresses them. */
  readonly recordBytes: number
}

export interface PlannedMonth extends MonthFacts {
  /** Why nothing of the month may leave, a sentence; null if it may. */
  readonly kept: string | null
}

/** Null if the text is not a month. */
export function parseMonth(text: string): Month | null {
  return /^\d{4}-(?:0[1-9]|1[0-2])$/.test(text) ? text : null
}

/** The first of the kept months: this one and `count` whole ones before it. */
export function monthBefore(now: Date, count: number): Month {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - count, 1)).toISOString().slice(0, 7)
}

/** The first moment of the month and of the next one; UTC, RFC 3339. */
export function boundsOf(month: Month): { readonly from: string; readonly to: string } {
  const [year, number] = month.split('-').map(Number) as [number, number]
  const at = (months: number): string => new Date(Date.UTC(year, months, 1)).toISOString()
  return { from: at(number - 1), to: at(number) }
}

/** Any refusal of the archive keeps every month. */
export function planMonths(facts: readonly MonthFacts[], refusals: readonly string[]): PlannedMonth[] {
  return facts.map((month) => ({ ...month, kept: refusals.length > 0 ? REFUSED : missing(month) }))
}

const REFUSED = 'The archive is refused, see below.'

function missing({ reports, archived, beyondHead }: MonthFacts): string | null {
  if (archived < reports)
    return `${count(reports - archived)} of its reports are not in the archive: run \`cupel archive create\`.`
  if (beyondHead > 0)
    return `${count(beyondHead)} of its reports are behind the signed tree head of the archive: run \`cupel archive create\`.`
  return null
}

const count = (value: number): string => value.toLocaleString('en-US')
