/** Reads single reports from their places in the log, for callers that know the places from a read model. */
import { topicOf } from '@cupel/contracts'
import { UndecodableRecordError, type EventCodec, type EventLog } from '@cupel/event-log'
import type { StoredReport } from './stored-reports.js'

export interface ReportPlace {
  readonly reportId: string
  readonly partition: number
  readonly offset: number
}

/** A gap of at most this many records is read too: that is cheaper than one more request. */
const MAX_GAP_RECORDS = 64

/** The reports at these places, in batches, in the order of the log. `onMissing` is called for each place that has another record. */
export async function* readReportsAt({
  log,
  codec,
  livemode,
  places,
  onMissing,
}: {
  readonly log: EventLog
  readonly codec: EventCodec
  readonly livemode: boolean
  readonly places: readonly ReportPlace[]
  readonly onMissing: () => void
}): AsyncGenerator<readonly StoredReport[], void, undefined> {
  const topic = topicOf('ReportGenerated', livemode)
  for (const range of rangesOf(places)) {
    const wanted = new Map(range.map(({ offset, reportId }) => [offset, reportId]))
    const [first, last] = [range[0]!, range.at(-1)!]
    const { partition } = first
    for await (const records of log.read({ topic, partition, from: first.offset, to: last.offset + 1 })) {
      const reports: StoredReport[] = []
      for (const record of records) {
        const reportId = wanted.get(record.offset)
        if (reportId === undefined) continue
        const report = decoded(codec, record)
        if (report?.data.reportId !== reportId) continue
        wanted.delete(record.offset)
        reports.push({ report, topic, partition, offset: record.offset })
      }
      if (reports.length > 0) yield reports
    }
    for (let missing = wanted.size; missing > 0; missing -= 1) onMissing()
  }
}

function rangesOf(places: readonly ReportPlace[]): ReportPlace[][] {
  const ordered = [...places].sort((a, b) => a.partition - b.partition || a.offset - b.offset)
  const ranges: ReportPlace[][] = []
  for (const place of ordered) {
    const range = ranges.at(-1)
    const before = range?.at(-1)
    if (before?.partition === place.partition && place.offset - before.offset <= MAX_GAP_RECORDS)
      range!.push(place)
    else ranges.push([place])
  }
  return ranges
}

function decoded(codec: EventCodec, record: Parameters<EventCodec['decodeAs']>[1]) {
  try {
    return codec.decodeAs('ReportGenerated', record)
  } catch (error) {
    if (error instanceof UndecodableRecordError) return null
    throw error
  }
}
