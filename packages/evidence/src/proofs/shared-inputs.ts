/**
 * The events that reports name by hash, read from the log: the states of the lists and the policies. The index has one
 * entry for each distinct hash; only the few events in use stay in memory.
 */
import { topicOf, type EventData, type LabelStateRecorded, type ReportGenerated } from '@cupel/contracts'
import { compiledDefaultPolicy, type SharedInputs } from '@cupel/domain'
import {
  type EventCodec,
  type EventLog,
  type LogRecord,
  rangesOf,
  UndecodableRecordError,
} from '@cupel/event-log'

/** A report names an event by a hash that the log does not contain. */
export class MissingSharedInputError extends Error {
  override readonly name = 'MissingSharedInputError'
}

export interface SharedInputsReader {
  /** Resolves to the events that the report names. Rejects with MissingSharedInputError if the log lacks one. */
  of(report: ReportGenerated): Promise<SharedInputs>
}

export function openSharedInputs(source: {
  readonly log: EventLog
  readonly codec: EventCodec
}): SharedInputsReader {
  const states = indexByHash(source, 'LabelStateRecorded')
  const policies = indexByHash(source, 'PolicyActivated')
  return {
    async of(report) {
      const { labelStateSha256 } = report.inputs
      const labelState = await states.find(labelStateSha256)
      if (labelState === null)
        throw new MissingSharedInputError(
          `The log has no LabelStateRecorded event with the hash ${labelStateSha256} that the report names.`,
        )
      return { labelState: labelState satisfies LabelStateRecorded, policyDocument: await policyOf(report) }
    },
  }

  async function policyOf({ livemode, inputs: { policySha256 } }: ReportGenerated): Promise<string> {
    // The sandbox uses the default policy of the scorer, even if another policy was activated first.
    if (!livemode && policySha256 === compiledDefaultPolicy.sha256) return compiledDefaultPolicy.canonical
    const activation = await policies.find(policySha256)
    if (activation !== null) return activation.document
    throw new MissingSharedInputError(
      `The log has no PolicyActivated event with the hash ${policySha256} that the report names.`,
    )
  }
}

type SharedEvent = 'LabelStateRecorded' | 'PolicyActivated'

interface Place {
  readonly partition: number
  readonly offset: number
}

/** Number of events kept decoded: consecutive reports name the same ones. */
const MAX_LOADED_EVENTS = 32

function indexByHash<T extends SharedEvent>(
  { log, codec }: { readonly log: EventLog; readonly codec: EventCodec },
  type: T,
): { find(sha256: string): Promise<EventData[T] | null> } {
  const topic = topicOf(type)
  const places = new Map<string, Place>()
  const indexedTo = new Map<number, number>()
  const loaded = new Map<string, EventData[T]>()

  return {
    async find(sha256) {
      const known = loaded.get(sha256)
      if (known !== undefined) return known
      // The event may be newer than the index: reports are appended while a proof runs.
      if (!places.has(sha256)) await indexNewRecords()
      const place = places.get(sha256)
      return place === undefined ? null : await load(sha256, place)
    },
  }

  async function indexNewRecords(): Promise<void> {
    for (const { partition, from: start, to } of await rangesOf(log, [topic])) {
      const from = indexedTo.get(partition) ?? start
      if (from >= to) continue
      for await (const { offset, data } of read({ partition, from, to }))
        if (!places.has(data.sha256)) places.set(data.sha256, { partition, offset })
      indexedTo.set(partition, to)
    }
  }

  async function load(sha256: string, { partition, offset }: Place): Promise<EventData[T] | null> {
    for await (const { data } of read({ partition, from: offset, to: offset + 1 })) {
      const oldest = loaded.keys().next()
      if (loaded.size >= MAX_LOADED_EVENTS && oldest.done !== true) loaded.delete(oldest.value)
      loaded.set(sha256, data)
      return data
    }
    return null
  }

  /** Skips records that are not an event of this type: `cupel audit verify` reports them. */
  async function* read(range: { partition: number; from: number; to: number }) {
    for await (const records of log.read({ topic, ...range })) {
      for (const record of records) {
        const data = decoded(record)
        if (data !== null) yield { offset: record.offset, data }
      }
    }
  }

  function decoded(record: LogRecord): EventData[T] | null {
    try {
      return (codec.decodeAs(type, record)?.data ?? null) as EventData[T] | null
    } catch (error) {
      if (error instanceof UndecodableRecordError) return null
      throw error
    }
  }
}
