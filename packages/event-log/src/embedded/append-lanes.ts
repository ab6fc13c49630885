/**
 * Micro-batching of appends. Each topic has a lane: one write in flight, everything appended meanwhile joins the next one.
 * One lane per topic, so that the two hops of a screening share the server's group commit instead of waiting in turn.
 */
import { LogUnavailableError } from '../port.js'
import type { PlacedRecord } from './write-records.js'

/** A write is closed at this size; a single larger record goes alone. */
const WRITE_BYTES = 1024 * 1024
const WRITE_RECORDS = 2_000
/** A write not acknowledged by then counts as failed, although it may have happened. Longer than the server's own limit. */
export const WRITE_DEADLINE_MS = 12_000

/** A record in a lane, and the call it belongs to. */
export interface QueuedRecord extends PlacedRecord {
  readonly call: AppendCall
  /** Place in the call, for the position it resolves to. */
  readonly index: number
  readonly bytes: number
}

export interface AppendCall {
  /** Offsets in the order of the call. */
  readonly offsets: number[]
  remaining: number
  failed: boolean
  readonly queuedAt: number
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

export interface AppendLanes {
  add(topic: string, records: readonly QueuedRecord[]): void
  /** Resolves when nothing is queued or in flight. */
  idle(): Promise<void>
}

/** `write` resolves to the first offset per partition; `written` is told straight after, before any call resolves. */
export function createAppendLanes(
  write: (records: readonly QueuedRecord[], topic: string) => Promise<ReadonlyMap<number, number>>,
  written: (records: readonly QueuedRecord[], firstOffsets: ReadonlyMap<number, number>) => void,
): AppendLanes {
  const lanes = new Map<string, Lane>()
  const idleWaiters: (() => void)[] = []

  function wake(lane: Lane): void {
    if (lane.busy || lane.queue.length === 0) return
    lane.busy = true
    // Calls made in one turn of the event loop travel together.
    setImmediate(() => void drain(lane))
  }

  async function drain(lane: Lane): Promise<void> {
    for (let records = nextWrite(lane); records.length > 0; records = nextWrite(lane)) {
      try {
        const firstOffsets = await withDeadline(write(records, lane.topic))
        written(records, firstOffsets)
        acknowledge(records, firstOffsets)
      } catch (error) {
        for (const { call } of records) fail(call, error)
      }
    }
    lane.busy = false
    if (isIdle()) for (const resolve of idleWaiters.splice(0)) resolve()
  }

  const isIdle = (): boolean => [...lanes.values()].every((lane) => !lane.busy)

  return {
    add(topic, records) {
      let lane = lanes.get(topic)
      if (lane === undefined) lanes.set(topic, (lane = { topic, queue: [], head: 0, busy: false }))
      for (const record of records) lane.queue.push(record)
      wake(lane)
    },
    idle: () => (isIdle() ? Promise.resolve() : new Promise((resolve) => idleWaiters.push(resolve))),
  }
}

interface Lane {
  readonly topic: string
  queue: QueuedRecord[]
  /** Taken so far. */
  head: number
  busy: boolean
}

/** Takes the records of the next write; what belongs to a failed call is dropped, lest a later part of it is written alone. */
function nextWrite(lane: Lane): QueuedRecord[] {
  const records: QueuedRecord[] = []
  const now = performance.now()
  let bytes = 0
  for (; lane.head < lane.queue.length; lane.head++) {
    const record = lane.queue[lane.head]!
    if (record.call.failed) continue
    if (now - record.call.queuedAt > WRITE_DEADLINE_MS) {
      fail(record.call, new LogUnavailableError('The log did not accept the record in time'))
      continue
    }
    if (records.length > 0 && (bytes + record.bytes > WRITE_BYTES || records.length === WRITE_RECORDS)) break
    records.push(record)
    bytes += record.bytes
  }
  // Cut when half of it is used up: under steady load the queue never runs empty, and must not grow for ever.
  if (2 * lane.head >= lane.queue.length) {
    lane.queue = lane.queue.slice(lane.head)
    lane.head = 0
  }
  return records
}

function acknowledge(records: readonly QueuedRecord[], firstOffsets: ReadonlyMap<number, number>): void {
  const next = new Map(firstOffsets)
  for (const { call, index, partitionId } of records) {
    const offset = next.get(partitionId)!
    next.set(partitionId, offset + 1)
    call.offsets[index] = offset
    call.remaining -= 1
    if (call.remaining === 0 && !call.failed) call.resolve()
  }
}

function fail(call: AppendCall, error: unknown): void {
  if (call.failed) return
  call.failed = true
  call.reject(error)
}

async function withDeadline<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new LogUnavailableError('The log did not acknowledge a write in time')),
      WRITE_DEADLINE_MS,
    )
  })
  try {
    return await Promise.race([work, deadline])
  } finally {
    clearTimeout(timer)
  }
}
