/** Samples of every public event of Cupel, for the tests of subscribers. */

export interface GoldenEvent {
  /** The name of the event, as the header `ce_type` has it. */
  readonly type: string
  /** Counts the samples of one event, from 1. A later one was written with a later schema, or shows another case. */
  readonly sample: number
  readonly topic: string
  /** The release that wrote the sample first; null if it belongs to the version after the last release. */
  readonly release: string | null
  /** The record as it stands in Kafka: a zero byte, the id of the schema in four bytes, the Avro payload. */
  readonly value: Buffer
  readonly headers: Readonly<Record<string, string>>
  /** Names the schema within this package; an installation has other numbers. */
  readonly schemaId: number
  /** The Avro schema that wrote the record, as JSON. */
  readonly schema: string
  /** The Avro payload alone. */
  readonly payload: Buffer
  /** What the record says, in Avro's plain values. */
  readonly data: Readonly<Record<string, unknown>>
}

export interface GoldenFilter {
  /** Names of events; all by default. */
  readonly types?: readonly string[]
  readonly topics?: readonly string[]
  /** Samples of this release and of earlier ones; all by default, those of the next release too. */
  readonly upTo?: string
}

/** The samples, by event and number. Throws a RangeError for a name of a filter that no sample has. */
export function goldenEvents(filter?: GoldenFilter): readonly GoldenEvent[]

/**
 * Gives each sample to a consumer, one after the other. Rejects with an AggregateError that names every sample the consumer failed on;
 * resolves to the number of samples.
 */
export function forEachGoldenEvent(
  consumer: (event: GoldenEvent) => unknown,
  filter?: GoldenFilter,
): Promise<number>

/** The Avro schema with this id, as JSON; undefined if no sample has it. */
export function goldenSchema(schemaId: number): string | undefined

/**
 * A schema registry on the loopback address with the schemas of the samples, for consumers that ask one: `GET /schemas/ids/{id}` and
 * nothing else.
 */
export function startGoldenRegistry(): Promise<{ readonly url: string; close(): Promise<void> }>
