/** The result of `cupel audit verify`. */
import type { ReadArchive } from '@cupel/command-line/installation'
import type { Erasure, VerifyResult } from '../../proofs/index.js'
import type { ComparedLeaves } from './compared-leaves.js'
import type { Resumed } from './kept-verification.js'

export interface Verified extends VerifyResult {
  readonly macsChecked: boolean
  /** The erasures that the log records. */
  readonly erasures: readonly Erasure[]
  readonly leaves: ComparedLeaves | null
  /** Null if the log itself was read. */
  readonly archive: ReadArchive | null
  /** Null if nothing is kept between runs. */
  readonly kept: KeptRun | null
  /** What this check cannot see, as sentences: they are no problems. */
  readonly warnings: readonly string[]
}

export interface KeptRun {
  /** Null if the run is a whole one. */
  readonly since: {
    /** Leaves of the kept tree: nothing before them was read, except for `comparedAgain`. */
    readonly leaves: number
    /** ISO 8601: when it was verified, when the run began that verified all at once, and when all its records had been compared again. */
    readonly verifiedAt: string
    readonly wholeAt: string
    readonly againAt: string
  } | null
  /** What a run that was cut off had verified: this one did not read it. Null if there was none. */
  readonly resumed: Resumed | null
  /** Old leaves that were compared again. */
  readonly comparedAgain: { readonly from: number; readonly to: number } | null
  /** SHA-256 of the file: the next run takes it as `--kept-sha256`. */
  readonly sha256: string | null
}
