/** Why two reports of one address differ: both are read from the log, and one is decided again with the parts of the other. */
import { createSlots } from '@cupel/kit/concurrency'
import type { ReportGenerated } from '@cupel/contracts'
import { ChangeRefusedError, explainChange, type ChangeExplanation } from '@cupel/domain'
import { LogStoppedError, type EventCodec, type EventLog } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { MissingSharedInputError, openSharedInputs, readReportsAt } from '@cupel/evidence/proofs'
import { findReportPlace, type ReportOwner } from '../read-model/index.js'

export type ExplainedChange =
  | { readonly kind: 'explained'; readonly change: ChangeExplanation }
  /** One of the reports is not known, or its record has left the log. */
  | { readonly kind: 'unreadable' }
  /** The reports cannot be compared; `because` is a sentence. */
  | { readonly kind: 'refused'; readonly because: string }

export type ExplainReports = (owner: ReportOwner, from: string, to: string) => Promise<ExplainedChange>

export interface ReportChangesOptions {
  readonly log: EventLog
  readonly codec: EventCodec
  readonly database: Database
}

/** Explanations at once, for which accounts take turns: each decides a report a dozen times, some 10 ms of work. */
const CONCURRENT = 2

export function createExplainReports({ log, codec, database }: ReportChangesOptions): ExplainReports {
  const shared = openSharedInputs({ log, codec })
  const inSlot = createSlots(CONCURRENT)

  async function recorded(
    { accountId, livemode }: ReportOwner,
    reportId: string,
  ): Promise<ReportGenerated | null> {
    const place = await findReportPlace(database, { accountId, livemode, reportId })
    if (place === null) return null
    const places = [{ reportId, ...place }]
    for await (const [stored] of readReportsAt({ log, codec, livemode, places, onMissing: () => undefined }))
      if (stored?.report.data.accountId === accountId) return stored.report.data
    return null
  }

  async function explained(owner: ReportOwner, from: string, to: string): Promise<ExplainedChange> {
    try {
      const [first, second] = await Promise.all([recorded(owner, from), recorded(owner, to)])
      if (first === null || second === null) return { kind: 'unreadable' }
      const [a, b] = await Promise.all([shared.of(first), shared.of(second)])
      const change = explainChange({ recorded: first, shared: a }, { recorded: second, shared: b })
      return { kind: 'explained', change }
    } catch (error) {
      if (error instanceof ChangeRefusedError) return { kind: 'refused', because: error.message }
      // A scorer that this version does not contain is a RangeError.
      if (error instanceof RangeError)
        return { kind: 'refused', because: 'A scorer decided one of the reports that is not here.' }
      if (error instanceof MissingSharedInputError || error instanceof LogStoppedError)
        return { kind: 'unreadable' }
      throw error
    }
  }

  return (owner, from, to) => inSlot(() => explained(owner, from, to), { owner: owner.accountId })
}
