/**
 * What `audit verify --kept` keeps between runs. It saves work, and shows nothing by itself: what it says was verified is not read again, but the
 * signed trees must extend the kept one, and a part of the old records is compared with their leaves again in each run.
 */
import type { DonePartition } from '../../proofs/index.js'
import { rootOf, verifierKey, type PublicKey } from '@cupel/signing'
import type { KeptHead } from '../../transparency/index.js'
import { type CliContext, CommandError, EXIT_FAILED, VERSION } from '@cupel/command-line'
import { openStateFile, type StateFile } from './recompute-state.js'

export interface KeptVerification {
  /** The last run that found everything right; null before the first. */
  readonly verified: Verified | null
  /** Whether a whole run found something since: every run is a whole one until all is right. */
  readonly isWholeDue: boolean
  /** How far the records before that head were compared with their leaves again, in this round; null between two rounds. */
  readonly again: (StoredHead & { readonly runs: number }) | null
  /** An interrupted run; null if the last one came to its end. */
  readonly underway: Underway | null
}

interface Verified {
  /** What the run could see: what one of another version, or one without record keys, verified is verified again. */
  readonly checks: string
  /** ISO 8601, as the next two: the end of the run, the begin of the last whole one, and the end of the last round through the old records. */
  readonly at: string
  readonly wholeAt: string
  readonly againAt: string
  readonly head: StoredHead
  /** The offset after the last verified record of each partition, by `topic/partition`. */
  readonly read: readonly (readonly [string, number])[]
}

interface Underway {
  readonly isWhole: boolean
  readonly checks: string
  /** ISO 8601: of the first run, if several were cut off. */
  readonly begunAt: string
  readonly done: readonly DonePartition[]
  /** How far records were compared with leaves; null if that has not begun. */
  readonly head: StoredHead | null
}

interface StoredHead {
  readonly size: number
  /** Roots of the full subtrees of the tree, in base64. */
  readonly peaks: readonly string[]
  /** `topic/partition`, the offset after the last compared record, and the index of its last leaf. */
  readonly places: readonly (readonly [string, number, number | null])[]
}

/** An interrupted run loses the work of so much time, and that of the partition or the leaves under way. */
const SAVE_INTERVAL_MS = 2_000
/** A round through the old records takes so many runs, however much comes meanwhile. */
const RUNS_OF_ROUND = 30

export interface Keeper {
  /** What the run goes on from; null if it is a whole one. */
  readonly since: Verified | null
  /** The tree that was verified before and that no part of this run begins with, as the file names it: the signed tree must extend it. */
  readonly named: readonly { readonly size: number; readonly root: string; readonly file: string }[]
  readonly isWhole: boolean
  /** What an interrupted run of the same kind verified, which this one does not read; null if there is nothing. */
  readonly resumed: Resumed | null
  readonly done: readonly DonePartition[]
  readonly head: KeptHead | null
  /** SHA-256 of the kept state. */
  digest(): string | null
  onDone(done: DonePartition): void
  onHead(head: KeptHead): void
  /** The old leaves to compare again, `since` ≤ index < `until`; null if there are none. */
  oldLeaves(): { readonly since: KeptHead | null; readonly until: number } | null
  /** Everything was right. `head` is null if there is no transparency log: then nothing more is kept. */
  finish(of: { readonly head: KeptHead | null; readonly again: KeptHead | null }): void
  /** Something was wrong: the next run looks at it again, and after a whole one at everything. The tree that was right stays known. */
  fail(): void
}

export interface Resumed {
  /** ISO 8601. */
  readonly begunAt: string
  readonly records: number
  /** Number of leaves, with those before the run, that have been compared with their records. */
  readonly leaves: number
}

export function openKept(
  context: CliContext,
  {
    file,
    sha256,
    whole,
  }: { readonly file: string; readonly sha256: string | undefined; readonly whole: boolean },
  {
    log,
    publicKeys,
    checksMacs,
    version = VERSION,
    now = () => performance.now(),
  }: {
    readonly log: string
    readonly publicKeys: readonly PublicKey[] | null
    readonly checksMacs: boolean
    readonly version?: string
    /** Milliseconds. */
    readonly now?: () => number
  },
): Keeper {
  const question = { log, public_keys: publicKeys?.map(verifierKey) ?? null, verifies: 'log' }
  const path = context.path(file)
  const stateFile = openStateFile<KeptVerification>(path, question, 'cupel audit verify')
  if (sha256 !== undefined && sha256 !== stateFile.digest)
    throw new CommandError(
      `${path} has the SHA-256 ${stateFile.digest ?? '(none: there is no such file)'}, not ${sha256}: it was changed, or is of another run.`,
      EXIT_FAILED,
    )
  return keeperOf(stateFile, {
    ...{ path, whole, now },
    checks: `${version}, ${checksMacs ? 'with' : 'without'} MACs`,
  })
}

const NOTHING_KEPT: KeptVerification = { verified: null, isWholeDue: false, again: null, underway: null }

function keeperOf(
  stateFile: StateFile<KeptVerification>,
  {
    path,
    whole,
    checks,
    now,
  }: {
    readonly path: string
    readonly whole: boolean
    readonly checks: string
    readonly now: () => number
  },
): Keeper {
  const before = stateFile.resume ?? NOTHING_KEPT
  const { verified } = before
  const isWhole = whole || verified === null || before.isWholeDue || verified.checks !== checks
  const { underway } = before
  const resumed = underway?.isWhole === isWhole && underway.checks === checks ? underway : null
  const begunAt = resumed?.begunAt ?? new Date().toISOString()
  let digest = stateFile.digest ?? null
  const done = [...(resumed?.done ?? [])]
  let head = resumed?.head ?? (isWhole ? null : verified!.head)
  const save = (state: KeptVerification): void => void (digest = stateFile.save(state))
  let savedAt = now()
  const saveProgress = (): void => {
    if (now() - savedAt < SAVE_INTERVAL_MS) return
    savedAt = now()
    save({ ...before, underway: { isWhole, checks, begunAt, done, head } })
  }
  return {
    since: isWhole ? null : verified,
    named: namedTrees(verified?.head ?? null, head?.size ?? 0, path),
    isWhole,
    resumed: resumed === null ? null : resumedOf(resumed, isWhole ? 0 : verified!.head.size),
    done: [...done],
    head: head === null ? null : headOf(head),
    digest: () => digest,
    onDone(partition) {
      done.push(partition)
      saveProgress()
    },
    onHead(reached) {
      head = stored(reached)
      saveProgress()
    },
    oldLeaves: () => (isWhole ? null : nextOldLeaves(verified!, before.again)),
    finish({ head: reached, again }) {
      if (reached === null) return save({ ...before, underway: null })
      save(finishedState(before, { isWhole, checks, begunAt, done, head: reached, again }))
    },
    fail: () => save({ ...before, isWholeDue: isWhole, underway: null }),
  }
}

function finishedState(
  { verified, again: before }: KeptVerification,
  {
    isWhole,
    checks,
    begunAt,
    done,
    head,
    again,
  }: Omit<Underway, 'head'> & { readonly head: KeptHead; readonly again: KeptHead | null },
): KeptVerification {
  const at = new Date().toISOString()
  const isRound = isWhole || (again?.tree.size ?? 0) >= verified!.head.size
  return {
    verified: {
      ...{ checks, at, wholeAt: isWhole ? begunAt : verified!.wholeAt },
      ...{ againAt: isRound ? at : verified!.againAt, head: stored(head) },
      read: done.map(({ topic, partition, to }) => [`${topic}/${partition}`, to] as const),
    },
    isWholeDue: false,
    again: isRound ? null : again === null ? before : { ...stored(again), runs: (before?.runs ?? 0) + 1 },
    underway: null,
  }
}

/** The part of the round through the old leaves that comes next. */
function nextOldLeaves(
  { head }: Verified,
  again: KeptVerification['again'],
): { readonly since: KeptHead | null; readonly until: number } | null {
  const from = again?.size ?? 0
  const runs = Math.max(1, RUNS_OF_ROUND - (again?.runs ?? 0))
  const until = from + Math.ceil((head.size - from) / runs)
  return until <= from ? null : { since: again === null ? null : headOf(again), until }
}

/** Null if it had not come further than to the `since` leaves that it began with. */
function resumedOf({ begunAt, done, head }: Underway, since: number): Resumed | null {
  const leaves = head?.size ?? since
  if (done.length === 0 && leaves === since) return null
  return { begunAt, records: done.reduce((sum, { from, to }) => sum + to - from, 0), leaves }
}

/** A run that begins with that tree, or with a longer one, has no need of it. */
function namedTrees(head: StoredHead | null, from: number, file: string): Keeper['named'] {
  if (head === null || head.size <= from) return []
  return [{ size: head.size, root: rootOf(headOf(head).tree).toString('base64'), file }]
}

/** Records without a leaf are verified again: nothing but their leaves would show a change of them. */
export function sinceOf({ read, head }: Verified): ReadonlyMap<string, number> {
  const leaves = new Map(head.places.map(([place, next]) => [place, next]))
  return new Map(read.map(([place, to]) => [place, Math.min(to, leaves.get(place) ?? 0)]))
}

function stored({ tree, places }: KeptHead): StoredHead {
  return {
    size: tree.size,
    peaks: tree.peaks.map((peak) => peak.toString('base64')),
    places: [...places].map(([place, { next, last }]) => [place, next, last] as const),
  }
}

function headOf({ size, peaks, places }: StoredHead): KeptHead {
  return {
    tree: { size, peaks: peaks.map((peak) => Buffer.from(peak, 'base64')) },
    places: new Map(places.map(([place, next, last]) => [place, { next, last }])),
  }
}
