/**
 * Follows a chain: imports its confirmed blocks as segments, in order, without gap or overlap. Where it goes on follows from the declared
 * ranges of the ledger, and which chain of blocks the ledger has from the names of its files, so a follower has no state of its own.
 */
import { sleep } from '@cupel/kit/concurrency'
import { followedSegments } from '@cupel/ledger'
import type { Database } from '@cupel/postgres'
import type { NodeHead, Zone } from './chain-node.js'
import { FollowError } from './follow-error.js'
import type { FollowDeps, FollowOptions } from './follow-options.js'
import { createState, tellRegularly } from './follower-state.js'
import { createImporter, type Importer, type Running } from './importer.js'
import { withLease } from './lease.js'
import { findReplaced, replacedMessage, type Replaced } from './replaced.js'
import { prepareFolder, writeSegmentFile } from './segment-file.js'
import { readUndeclared, type Undeclared } from './undeclared.js'

const POLL_MS = 5_000
const RETRY_MS = 10_000

/** Resolves when the last height is imported or the signal ends it. Rejects with a FollowError that only the operator can settle. */
export async function follow(options: FollowOptions, deps: FollowDeps): Promise<void> {
  const { database, signal, note } = deps
  const { chain } = options.node
  const onStandby = (): void => note?.(`Another follower of ${chain} works; this one stands by.`)
  await withLease(database, { chain, signal, onStandby }, async (lease) => {
    const state = createState(chain, deps)
    const telling = tellRegularly(state, deps)
    try {
      await followAgain(options, deps, { lease, state })
      // A range has an end; a follower without one that ends is missed.
      if (options.to !== undefined && !signal.aborted) await state.forget()
    } catch (error) {
      await state.fail(error)
      throw error
    } finally {
      await telling.stop()
    }
  })
}

/** Goes on after what may pass. The state shows the fault until then. */
async function followAgain(options: FollowOptions, deps: FollowDeps, running: Running): Promise<void> {
  for (;;) {
    try {
      await followOnce(options, deps, running)
      return
    } catch (error) {
      if (deps.signal.aborted) return
      if (!(error instanceof FollowError) || !error.mayPass) throw error
      await running.state.fail(error)
      deps.note?.(`${error.message}; trying again.`)
      await sleep(options.retryMs ?? RETRY_MS, deps.signal)
      if (deps.signal.aborted) return
    }
  }
}

/** Leaves no import behind that still runs. */
async function followOnce(options: FollowOptions, deps: FollowDeps, running: Running): Promise<void> {
  await prepareFolder(options.folder, options.node.chain, options.keepsFiles)
  const undeclared = await readUndeclared(deps.database, options.node)
  const height = options.from ?? undeclared.goOnAt
  const importer = createImporter(options, deps, { ...running, firstHeight: height })
  try {
    await followFrom(height, { options, deps, running, importer, undeclared })
  } finally {
    await importer.settled()
  }
  await importer.done()
}

interface Following {
  readonly options: FollowOptions
  readonly deps: FollowDeps
  readonly running: Running
  readonly importer: Importer
  readonly undeclared: Undeclared
}

async function followFrom(
  first: number,
  { options, deps, running, importer, undeclared }: Following,
): Promise<void> {
  const { node, to: last = Infinity } = options
  const { database, signal } = deps
  const { state } = running
  let height = first
  let parent = await knownParent(database, node.chain, height)
  for (;;) {
    const head = await node.head()
    state.tell({ headHeight: head.height, headAtS: head.atS, nextHeight: importer.nextHeight() })
    await checkReplaced(options, deps, { running, importer, head })
    const range = undeclared.next(height)
    if (range === null || range.from > last) break
    if (range.from !== height) parent = await knownParent(database, node.chain, range.from)
    height = range.from
    const confirmed = Math.min(head.height - options.confirmations, last)
    const to = Math.min(height + options.segmentBlocks - 1, confirmed, range.to)
    if (to < height || !isDue(options, importer, { to, range, last, height })) {
      await importer.done()
      // The state has no fault once everything that is confirmed is imported.
      checkHead(options, deps, head)
      if (state.tell({ fault: null })) await state.store()
      await sleep(options.pollMs ?? POLL_MS, signal)
    } else {
      const file = await writeSegmentFile(node, { ...options, from: height, to, parentHash: parent })
      await importer.import(file, { kinds: range.kinds, until: confirmed, replaces: false })
      height = to + 1
      parent = file.lastHash
    }
    if (signal.aborted) break
  }
}

/** A whole segment is due at once, and so is one that nothing can be added to. A smaller one waits. */
function isDue(
  { segmentBlocks, everyS }: FollowOptions,
  { importedAgoS }: Importer,
  {
    to,
    range,
    last,
    height,
  }: { readonly to: number; readonly range: Zone; readonly last: number; readonly height: number },
): boolean {
  return to - height + 1 === segmentBlocks || to === range.to || to === last || importedAgoS() >= everyS
}

function checkHead({ maxHeadAgeS }: FollowOptions, { now }: FollowDeps, { atS, height }: NodeHead): void {
  const ageS = (now?.() ?? new Date()).getTime() / 1_000 - atS
  if (ageS > maxHeadAgeS)
    throw new FollowError(
      'node_behind',
      `the newest block ${height} of the node is ${Math.round(ageS / 60)} minutes old`,
    )
}

/** Hash of the block below the height, if a follower imported it. */
async function knownParent(database: Database, chain: string, height: number): Promise<string | null> {
  const segments = await followedSegments(database, chain)
  return segments.findLast(({ to }) => to === height - 1)?.lastHash ?? null
}

async function checkReplaced(
  options: FollowOptions,
  deps: FollowDeps,
  {
    running,
    importer,
    head,
  }: { readonly running: Running; readonly importer: Importer; readonly head: NodeHead },
): Promise<void> {
  if (importer.isBusy()) return
  const { node } = options
  const replaced = await findReplaced(deps.database, node, head.height)
  if (replaced === null) return
  if (options.replaces !== true) throw new FollowError('reorganised', replacedMessage(node.chain, replaced))
  await replace(options, deps, { running, importer, head, replaced })
}

/** Imports the replaced blocks again, in one segment for each zone. */
async function replace(
  options: FollowOptions,
  { note }: FollowDeps,
  {
    importer,
    head,
    replaced,
  }: {
    readonly running: Running
    readonly importer: Importer
    readonly head: NodeHead
    readonly replaced: Replaced
  },
): Promise<void> {
  const { node } = options
  const { from, to, covers } = replaced
  const confirmed = head.height - options.confirmations
  if (confirmed < to)
    throw new FollowError(
      'node_behind',
      `blocks ${from} to ${to} are to be replaced, and the node has confirmed ${confirmed}`,
    )
  note?.(`Replacing blocks ${from} to ${to}.`)
  let parentHash = replaced.parentHash
  for (const zone of node.zones) {
    const [first, end] = [Math.max(from, zone.from), Math.min(to, zone.to)]
    if (first > end) continue
    const missing = covers.find((kind) => !(zone.kinds as readonly string[]).includes(kind))
    if (missing !== undefined)
      throw new FollowError(
        'refused',
        `the ledger has ${missing} transfers of the blocks ${first} to ${end}, and the node does not give them`,
      )
    const file = await writeSegmentFile(node, { ...options, from: first, to: end, parentHash })
    await importer.import(file, { kinds: zone.kinds, until: end, replaces: true })
    parentHash = file.lastHash
  }
  await importer.done()
}
