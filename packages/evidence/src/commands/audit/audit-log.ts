/** Reads the log for the audit export, from all topics and merged by time. */
import {
  auditedEventTypes,
  callEvents,
  callEventTypes,
  laneOfReportPartition,
  topicOf,
  topicSpecs,
  type DomainEvent,
  type RecordedCall,
  type ScreenOutcome,
} from '@cupel/contracts'
import {
  endsOf,
  type EventCodec,
  type EventLog,
  type LogRecord,
  type Place,
  typeOf,
  UndecodableRecordError,
} from '@cupel/event-log'

export type AuditLogEntry = { readonly time: string } & (
  | { readonly kind: 'event'; readonly event: DomainEvent }
  /** A call that another event records. */
  | { readonly kind: 'call'; readonly recorded: RecordedCall }
  /** How the screening of a report id ended. */
  | { readonly kind: 'outcome'; readonly reportId: string; readonly outcome: ScreenOutcome }
)

export interface AuditedPlace extends Place {
  /** The end when the export began: later records belong to another export. */
  readonly to: number
}

/** Not every topic has one of the sandbox. */
const existing = new Set(topicSpecs.map(({ name }) => name))
const audited: ReadonlySet<string> = new Set(auditedEventTypes)

/** The partitions that an export reads. The bulk half of the report topic is left out: no call waits for its reports. */
export async function auditedPlaces(log: EventLog): Promise<AuditedPlace[]> {
  const reports = [topicOf('ReportGenerated', true), topicOf('ReportGenerated', false)]
  // The topic of a screen is that of the interactive lane.
  const shown = [...auditedEventTypes, ...callEventTypes]
  const topics = [...shown.flatMap((type) => [topicOf(type, true), topicOf(type, false)]), ...reports]
  const places: AuditedPlace[] = []
  for (const topic of new Set(topics)) {
    if (!existing.has(topic)) continue
    for (const { partition, offset: to } of await endsOf(log, [topic]))
      if (!reports.includes(topic) || laneOfReportPartition(partition) !== 'bulk')
        places.push({ topic, partition, to })
  }
  return places
}

/** Merges partitions that are in order, or nearly so. Entries of one moment keep the order of the places. */
export async function* readAuditLog(
  log: EventLog,
  codec: EventCodec,
  places: readonly AuditedPlace[],
): AsyncGenerator<AuditLogEntry> {
  const entriesOf = createEntryReader(codec)
  const heads: { source: AsyncGenerator<AuditLogEntry>; entry: AuditLogEntry }[] = []
  for (const place of places) {
    const source = entriesAt(log, place, entriesOf)
    const first = await source.next()
    if (first.done !== true) heads.push({ source, entry: first.value })
  }
  while (heads.length > 0) {
    const earliest = heads.reduce((one, other) => (other.entry.time < one.entry.time ? other : one))
    yield earliest.entry
    const next = await earliest.source.next()
    if (next.done === true) heads.splice(heads.indexOf(earliest), 1)
    else earliest.entry = next.value
  }
}

/** The records of one partition, from its oldest, up to the end when the export began. */
export async function* recordsAt(
  log: EventLog,
  { topic, partition, to }: AuditedPlace,
): AsyncGenerator<readonly LogRecord[]> {
  const from = await log.startOffset(topic, partition)
  yield* log.read({ topic, partition, from, to })
}

/** Outcomes of screenings that are read ahead in a partition: some hundred bytes each. */
const READ_AHEAD = 4_096

/** A read that waits for others keeps a whole segment if it is of an archive, and every partition has one: each ends before it waits. */
async function* entriesAt(
  log: EventLog,
  place: AuditedPlace,
  entriesOf: EntryReader,
): AsyncGenerator<AuditLogEntry> {
  let from = await log.startOffset(place.topic, place.partition)
  while (from < place.to) {
    const entries: AuditLogEntry[] = []
    let next = place.to
    for await (const records of log.read({ ...place, from })) {
      for (const record of records) entries.push(...entriesOf(record))
      if (entries.length < READ_AHEAD) continue
      next = records.at(-1)!.offset + 1
      break
    }
    yield* entries
    from = next
  }
}

type EntryReader = (record: LogRecord) => readonly AuditLogEntry[]

/** Most records of these topics are labels and reports; their type is read from the headers, and they are not decoded. */
function createEntryReader(codec: EventCodec): EntryReader {
  const calls = new Map(
    callEvents.map(({ type, fields, read }) => {
      const partOf = codec.partOf(type, fields)
      return [type as string, (record: LogRecord) => read(partOf(record)!)]
    }),
  )
  return (record) => {
    const type = typeOf(record) ?? ''
    const time = record.headers['ce_time'] ?? ''
    if (type === 'ReportGenerated' || type === 'ScreeningFailed') {
      const outcome = { isFailed: type === 'ScreeningFailed', endedAt: time }
      return [{ kind: 'outcome', time, reportId: record.key, outcome }]
    }
    const entries: AuditLogEntry[] = []
    if (audited.has(type)) entries.push({ kind: 'event', time, event: codec.decode(record) })
    const recorded = readable(record, () => calls.get(type)?.(record) ?? null)
    if (recorded !== null) entries.push({ kind: 'call', time, recorded })
    return entries
  }
}

/** A request that cannot be decoded was no call: the API appends none. The scorer has dead-lettered it. */
function readable(record: LogRecord, read: () => RecordedCall | null): RecordedCall | null {
  try {
    return read()
  } catch (error) {
    const isWork = typeOf(record) === 'ScreenRequested'
    if (isWork && error instanceof UndecodableRecordError && error.reason === 'malformed') return null
    throw error
  }
}
