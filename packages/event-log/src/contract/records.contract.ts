/** Records of the contract cases, and the tasks of child processes. Children load this file, so it does not import the test runner. */
import type { LogIdentity, LogRecord, NewRecord } from '../port.js'

/** A record whose value is `text`. */
export function record(
  topic: string,
  text: string,
  place: { partition?: number; key?: string } = {},
): NewRecord {
  return {
    topic,
    ...(place.partition === undefined ? {} : { partition: place.partition }),
    key: place.key ?? text,
    value: Buffer.from(text),
    headers: { ce_type: 'contract.Happened', ce_id: text },
  }
}

export const textOf = (each: LogRecord): string => each.value.toString()

export function numbered(count: number, prefix = 'n'): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index}`)
}

export type ChildTask =
  | { role: 'append'; topic: string; partitions: number; producer: string; count: number }
  | { role: 'hang'; topic: string; group: string; readFrom: number; log: LogIdentity }
