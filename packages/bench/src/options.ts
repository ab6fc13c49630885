/** What every measurement takes and returns. */
import type { Profile } from './system.js'

export interface BenchOptions {
  /** Folder of the checkout. */
  readonly root: string
  readonly profiles: readonly Profile[]
  /** Of the Kafka profile: 1 or 3. */
  readonly brokers: number
  /** Parts of the kind that are measured; all of them if it is empty. */
  readonly parts: readonly string[]
  /** Length of each measured phase or turn. */
  readonly seconds: number
  /** Rounds of three turns. */
  readonly rounds: number
  /** Interactive screens a second of an open loop. */
  readonly perSecond: number
  /** Rows, reports or addresses, by kind. */
  readonly size: number
  /** Folder of real lists and transfers; null without one. */
  readonly dataFolder: string | null
  /** Folder of a checkout of an earlier version, for `guard`. */
  readonly before?: string | undefined
  /** The Node that runs the earlier version, for `guard`. */
  readonly nodeBefore?: string | undefined
  readonly say: (line: string) => void
}

export interface Outcome {
  readonly table: string
  readonly figures: object
  /** False only if a result contradicts the rules; a slow figure fails no run. */
  readonly isRight: boolean
}
