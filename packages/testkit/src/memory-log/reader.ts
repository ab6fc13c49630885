/** Reads one partition for a group: from the checkpoint on, batch after batch, until it is stopped or must not continue. */
import { LogStoppedError, type LogIdentity, type Place, type SubscribeOptions } from '@cupel/event-log'
import type { Slots } from '@cupel/kit/concurrency'
import { truncated, type StoredPartition } from './store.js'

export interface ReaderParts {
  readonly place: Place
  readonly stored: StoredPartition
  readonly inTurn: Slots
  readonly identity: () => Promise<LogIdentity>
  readonly listen: (listener: () => void) => () => void
  readonly onStopped: (error: LogStoppedError) => void
}

const RETRY_MS = 10
const LONGEST_REST_MS = 60_000
/** A trouble that any position ends. */
const NOWHERE = -1

export class PartitionReader {
  readonly place: Place
  private readonly options: SubscribeOptions
  private readonly parts: ReaderParts
  private readonly running: Promise<void>
  private readonly stopListening: () => void
  /** Null if the checkpoint must be asked for it. */
  private position: number | null = null
  private handled = 0
  private troubledAt: number | null = null
  private restsUntil = 0
  private nudges = 0
  private isStopping = false
  private wake: () => void = () => undefined

  constructor(options: SubscribeOptions, parts: ReaderParts) {
    this.options = options
    this.parts = parts
    this.place = parts.place
    this.stopListening = parts.listen(() => {
      if (this.restsUntil <= performance.now()) this.wake()
    })
    this.running = this.run().catch((error: unknown) => {
      this.stopListening()
      this.isStopping = true
      parts.onStopped(error as LogStoppedError)
    })
  }

  lag(): number {
    return Math.max(0, this.end() - this.handled)
  }

  restart(): void {
    this.position = null
    this.restsUntil = 0
    this.wake()
  }

  nudge(): void {
    this.nudges += 1
    this.restsUntil = 0
    this.wake()
  }

  /** Finishes the batch in hand. */
  async stop(): Promise<void> {
    this.isStopping = true
    this.wake()
    await this.running
    this.stopListening()
    // Another reader has its own trouble.
    if (this.troubledAt !== null) this.recovered()
  }

  private end(): number {
    return this.parts.stored.records.length
  }

  private async run(): Promise<void> {
    while (!this.isStopping) {
      const restMs = this.restsUntil - performance.now()
      if (this.position === null) await this.find()
      else if (restMs > 0) await this.pause(restMs)
      else if (this.end() <= this.position) await this.pause(LONGEST_REST_MS)
      else await this.handle(this.position)
      // Promises by themselves would leave timers no time.
      await new Promise(setImmediate)
    }
  }

  private async find(): Promise<void> {
    // Set before the query: a restart that comes meanwhile makes the answer void.
    this.position = this.handled
    try {
      const [checkpoint, log] = await Promise.all([
        this.options.checkpoint(this.place),
        this.parts.identity(),
      ])
      if (checkpoint !== null && checkpoint.log !== log)
        throw new LogStoppedError('foreign-log', `The checkpoint was taken on log ${checkpoint.log}.`)
      const next = this.within(checkpoint?.next ?? 0)
      this.restsUntil = 0
      this.moveTo(next)
    } catch (error) {
      await this.troubled(error, NOWHERE)
    }
  }

  private async handle(from: number): Promise<void> {
    const { inTurn, stored } = this.parts
    const { maxBatchRecords, restMs = 0 } = this.options
    const records = stored.records.slice(from, from + maxBatchRecords)
    const nextOffset = from + records.length
    const { nudges } = this
    const batch = { ...this.place, records, firstOffset: from, nextOffset, endOffset: this.end() }
    await inTurn(async () => {
      // A stop or a restart that came while the batch waited for its turn comes first.
      if (this.isStopping || this.position === null) return
      try {
        const outcome = await this.options.handle(batch)
        this.moveTo(outcome === undefined ? nextOffset : this.within(outcome.resumeAt))
      } catch (error) {
        await this.troubled(error, from)
      }
    })
    if (records.length < maxBatchRecords && this.nudges === nudges)
      this.restsUntil = performance.now() + restMs
  }

  private within(next: number): number {
    if (next < this.parts.stored.start) throw truncated(this.place, this.parts.stored.start)
    if (next > this.end())
      throw new LogStoppedError('beyond-end', `The checkpoint ${next} is beyond ${this.end()}.`)
    return next
  }

  /** Keeps a restart that was asked for meanwhile. */
  private moveTo(next: number): void {
    this.handled = next
    if (this.position !== null) this.position = next
    if (this.troubledAt !== null && next > this.troubledAt) this.recovered()
  }

  /** Rests, and then asks the checkpoint again; throws what ends the reading for good. */
  private async troubled(error: unknown, at: number): Promise<void> {
    if (error instanceof LogStoppedError) throw error
    this.troubledAt ??= at
    this.options.onRetry(error, { ...this.place, offset: this.handled })
    this.position = null
    await this.pause(RETRY_MS)
  }

  private recovered(): void {
    this.troubledAt = null
    this.options.onRecovered?.(this.place)
  }

  private async pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.min(ms, LONGEST_REST_MS))
      this.wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.wake = () => undefined
  }
}
