/** A subscriber's state from the events of reports: the outcome of each screening, and the latest report about each address. */

/** A decoded event: its name from the header `ce_type`, and its fields. */
export interface SubscribedEvent {
  readonly type: string
  readonly data: object
}

/** The known state of a report. `event` is the whole event that was given. */
export interface ReportState<T extends object = object> {
  readonly reportId: string
  readonly accountId: string
  readonly livemode: boolean
  readonly chain: string
  readonly canonicalAddress: string
  readonly level: string
  readonly score: number
  /** UTC, RFC 3339 with milliseconds. */
  readonly generatedAt: string
  readonly event: T
}

/** `first`: it changed the state. `repeat`: it is ignored, as by every reader. `other`: it is not an event of reports. */
export type Taken = 'first' | 'repeat' | 'other'

/**
 * Takes the events of a topic of reports, or of the topic of the latest reports, and keeps the valid state.
 *
 * Give it the records of each partition in order. The order between partitions does not matter, and records may be read again. It
 * keeps the id of every screening in memory, some hundred bytes each; a database keeps them by a unique key.
 */
export class ReportReducer {
  readonly #outcomes = new Map<string, 'report' | 'failure'>()
  readonly #latest = new Map<string, ReportState>()

  /** Throws a TypeError if an event of reports lacks a field: stop at a record that you cannot read. */
  take({ type, data }: SubscribedEvent): Taken {
    if (type === 'ScreeningFailed')
      return this.#isFirst(textIn(data, 'reportId'), 'failure') ? 'first' : 'repeat'
    if (type === 'LatestReportRecorded') return this.#keepLatest(stateOf(data)) ? 'first' : 'repeat'
    if (type !== 'ReportGenerated') return 'other'
    const report = stateOf(data)
    if (!this.#isFirst(report.reportId, 'report')) return 'repeat'
    this.#keepLatest(report)
    return 'first'
  }

  /** For a record without a value on the topic of the latest reports: forget everything known of its key. */
  forget({ key, livemode }: { readonly key: string; readonly livemode: boolean }): void {
    this.#latest.delete(placeOf(key, livemode))
  }

  /** The outcome of the screening; undefined if no event of it was read. */
  outcome(reportId: string): 'report' | 'failure' | undefined {
    return this.#outcomes.get(reportId)
  }

  /** The latest report about an address, in the form that its chain compares. */
  latest(about: {
    readonly accountId: string
    readonly livemode: boolean
    readonly chain: string
    readonly canonicalAddress: string
  }): ReportState | undefined {
    return this.#latest.get(placeOf(keyOf(about), about.livemode))
  }

  /** The latest report about every address, in no particular order. */
  latestReports(): ReportState[] {
    return [...this.#latest.values()]
  }

  #isFirst(reportId: string, outcome: 'report' | 'failure'): boolean {
    if (this.#outcomes.has(reportId)) return false
    this.#outcomes.set(reportId, outcome)
    return true
  }

  #keepLatest(report: ReportState): boolean {
    const place = placeOf(keyOf(report), report.livemode)
    const known = this.#latest.get(place)
    if (known !== undefined && orderOf(known) >= orderOf(report)) return false
    this.#latest.set(place, report)
    return true
  }
}

/** The key of the record on the topic of the latest reports. */
function keyOf(about: { accountId: string; chain: string; canonicalAddress: string }): string {
  return `${about.accountId}/${about.chain}/${about.canonicalAddress}`
}

const placeOf = (key: string, livemode: boolean): string => `${livemode ? 'live' : 'test'} ${key}`

/** Of two reports with one time, the one with the greater id is the latest. Times of one form compare as texts. */
const orderOf = ({ generatedAt, reportId }: ReportState): string => `${generatedAt} ${reportId}`

function stateOf(data: object): ReportState {
  const { livemode, score } = data as Record<string, unknown>
  if (typeof livemode !== 'boolean') throw new TypeError('The event has no boolean livemode')
  if (typeof score !== 'number') throw new TypeError('The event has no number score')
  return {
    reportId: textIn(data, 'reportId'),
    accountId: textIn(data, 'accountId'),
    livemode,
    chain: textIn(data, 'chain'),
    canonicalAddress: textIn(data, 'canonicalAddress'),
    level: textIn(data, 'level'),
    score,
    generatedAt: textIn(data, 'generatedAt'),
    event: data,
  }
}

function textIn(data: object, name: string): string {
  const value = (data as Record<string, unknown>)[name]
  if (typeof value !== 'string' || value === '') throw new TypeError(`The event has no text ${name}`)
  return value
}
