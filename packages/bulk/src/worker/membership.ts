/**
 * The lease decides which coordinator reads, not the group. On Kafka each holder joins a group of its own, so that it need not wait until
 * the broker has noticed the end of the previous holder (docs/adr/0100).
 */
import { randomUUID } from 'node:crypto'
import type { EventLog } from '@cupel/event-log'

export function membershipOf({ kind }: EventLog, group: string): string {
  return kind === 'kafka' ? `${group}.${randomUUID()}` : group
}
