import { randomUUID } from 'node:crypto'
import { PROBE_TYPE, TYPE_HEADER, type LogRecord, type NewRecord } from '../port.js'

/** A record without a value that a reader appends to see whether it would be delivered; every reader skips it. */
export function probeRecord(topic: string, partition: number): NewRecord {
  return { topic, partition, key: randomUUID(), value: null, headers: { [TYPE_HEADER]: PROBE_TYPE } }
}

const isProbe = (record: LogRecord): boolean =>
  record.value === null && record.headers[TYPE_HEADER] === PROBE_TYPE

/** The same array where it holds no probe, which is nearly always. */
export function withoutProbes(records: readonly LogRecord[]): readonly LogRecord[] {
  return records.some(isProbe) ? records.filter((record) => !isProbe(record)) : records
}
