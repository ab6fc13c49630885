/** Everything that was done with keys, and by operators, read from the log itself and in the order of time. */
import { topicOf, type DomainEvent, type EventType } from '@cupel/contracts'
import { TYPE_HEADER, type EventCodec, type EventLog } from '@cupel/event-log'

/** Calls, and what operators did: accounts, keys, policies, label sets with the removals they accepted, ledgers, webhook endpoints. */
const auditedTypes = [
  'ApiRequestAudited',
  'RefusedRequestsCounted',
  'AccountCreated',
  'ApiKeyIssued',
  'ApiKeyRevoked',
  'PolicyActivated',
  'LabelSetPublished',
  'LabelSetExpected',
  'LedgerSegmentImported',
  'WebhookEndpointCreated',
  'WebhookEndpointChanged',
  'WebhookEndpointDeleted',
] as const satisfies readonly EventType[]

export interface AuditExport {
  /** Only events of this account: calls with its keys, and what was done with these. */
  readonly accountId?: string | undefined
  /** From this moment on; UTC, RFC 3339. */
  readonly since?: string | undefined
  /** Before this moment. */
  readonly until?: string | undefined
}

/** Events told again after a failure have the same id; so many are remembered to leave the repeats out. */
const MAX_REMEMBERED_IDS = 200_000

/** The events up to the end of the log as it is now, oldest first. */
export async function* readAuditEvents(
  { log, codec }: { log: EventLog; codec: EventCodec },
  { accountId, since, until }: AuditExport,
): AsyncGenerator<DomainEvent> {
  const isWanted = ({ data, envelope }: DomainEvent): boolean =>
    (accountId === undefined || ('accountId' in data && data.accountId === accountId)) &&
    (since === undefined || envelope.time >= since) &&
    (until === undefined || envelope.time < until)
  const partitions = await partitionsOf(log)
  const seen = new Set<string>()
  for await (const event of byTime(partitions.map((place) => eventsOf(log, codec, place)))) {
    if (!isWanted(event) || seen.has(event.envelope.id)) continue
    seen.add(event.envelope.id)
    if (seen.size > MAX_REMEMBERED_IDS) seen.delete(seen.values().next().value!)
    yield event
  }
}

interface Place {
  readonly topic: string
  readonly partition: number
  /** The end when the export began: what comes later is another export's. */
  readonly to: number
}

async function partitionsOf(log: EventLog): Promise<Place[]> {
  const places: Place[] = []
  const topics = [
    ...auditedTypes.map((type) => topicOf(type)),
    topicOf('ApiRequestAudited', false),
    topicOf('WebhookEndpointCreated', false),
  ]
  for (const topic of new Set(topics)) {
    const count = await log.partitionCount(topic)
    for (let partition = 0; partition < count; partition += 1)
      places.push({ topic, partition, to: await log.endOffset(topic, partition) })
  }
  return places
}

async function* eventsOf(
  log: EventLog,
  codec: EventCodec,
  { topic, partition, to }: Place,
): AsyncGenerator<DomainEvent> {
  const from = await log.startOffset(topic, partition)
  for await (const records of log.read({ topic, partition, from, to })) {
    for (const record of records) {
      // Told by the header: a label topic is mostly labels, which need not even be decoded.
      const type = record.headers[TYPE_HEADER]
      if (record.value !== null && auditedTypes.some((audited) => audited === type))
        yield codec.decode(record)
    }
  }
}

/** Merges what is in order, or nearly so, in each source. Events of one moment keep the order of the sources. */
async function* byTime(sources: readonly AsyncGenerator<DomainEvent>[]): AsyncGenerator<DomainEvent> {
  const heads: { source: AsyncGenerator<DomainEvent>; event: DomainEvent }[] = []
  for (const source of sources) {
    const first = await source.next()
    if (first.done !== true) heads.push({ source, event: first.value })
  }
  while (heads.length > 0) {
    const earliest = heads.reduce((one, other) =>
      other.event.envelope.time < one.event.envelope.time ? other : one,
    )
    yield earliest.event
    const next = await earliest.source.next()
    if (next.done === true) heads.splice(heads.indexOf(earliest), 1)
    else earliest.event = next.value
  }
}
