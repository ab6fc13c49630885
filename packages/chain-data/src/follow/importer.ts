/** Imports the files of a follower, one after another. */
import { rm } from 'node:fs/promises'
import { failpoint } from '@cupel/kit/failpoints'
import { importLedger } from '@cupel/ledger'
import type { Zone } from './chain-node.js'
import { FollowError } from './follow-error.js'
import type { FollowDeps, FollowOptions } from './follow-options.js'
import type { FollowerState } from './follower-state.js'
import type { Lease } from './lease.js'
import type { SegmentFile } from './segment-file.js'

export interface Running {
  readonly lease: Lease
  readonly state: FollowerState
}

export interface Importer {
  /** Begins the import of the file as soon as the one before it is done; resolves when it has begun. */
  import(
    file: SegmentFile,
    as: { readonly kinds: Zone['kinds']; readonly until: number; readonly replaces: boolean },
  ): Promise<void>
  /** Resolves when nothing is imported; rejects if the last import failed. */
  done(): Promise<void>
  /** Resolves when nothing is imported. */
  settled(): Promise<void>
  isBusy(): boolean
  nextHeight(): number
  importedAgoS(): number
}

/** One file is imported while the next one is read from the node. */
export function createImporter(
  { node, importedBy, keepsFiles }: FollowOptions,
  { database, now, onSegment }: FollowDeps,
  { lease, state, firstHeight }: Running & { readonly firstHeight: number },
): Importer {
  const startedAt = performance.now()
  let importedAt = -Infinity
  let nextHeight = firstHeight
  let blocks = 0
  let busy = 0
  let importing: Promise<void> = Promise.resolve()

  const importFile = async (
    file: SegmentFile,
    { kinds, until, replaces }: Parameters<Importer['import']>[1],
  ): Promise<void> => {
    const { from, to, path } = file
    await lease.confirm()
    failpoint('before', 'follow.import')
    const result = await importLedger(
      {
        ...{ file: path, format: node.format, chain: node.chain, covers: kinds, importedBy },
        ...{
          completeFrom: from,
          completeTo: to,
          replace: replaces,
          onlyUndeclared: !replaces,
          acceptEmpty: true,
        },
        reason: `blocks ${from} to ${to} of a node`,
      },
      { database, ...(now === undefined ? {} : { now }) },
    )
    failpoint('after', 'follow.import')
    if (result.status === 'refused')
      throw new FollowError('import_refused', `blocks ${from} to ${to} were not imported: ${result.message}`)
    const [unreadable] = result.unreadable
    if (unreadable !== undefined)
      throw new FollowError(
        'import_refused',
        `the range ${from} to ${to} is not complete, line ${unreadable.line} of its file: ${unreadable.message}`,
      )
    if (!keepsFiles) await rm(path, { force: true })
    importedAt = performance.now()
    blocks += to - from + 1
    if (!replaces) nextHeight = to + 1
    state.tell({ nextHeight, importedAtS: file.lastAtS, fault: null })
    await state.store()
    const perMs = blocks / (importedAt - startedAt)
    onSegment?.({
      ...{ summary: result, from, to, blocksPerMinute: Math.round(perMs * 60_000) },
      remainingS: Math.max(0, Math.round((until - to) / perMs / 1_000)),
    })
  }
  return {
    async import(file, as) {
      await importing
      busy += 1
      importing = importFile(file, as).finally(() => (busy -= 1))
      // `done` or the next import reports a failure; until then the rejection must not count as unhandled.
      importing.catch(() => undefined)
    },
    done: async () => await importing,
    settled: () => importing.catch(() => undefined),
    isBusy: () => busy > 0,
    nextHeight: () => nextHeight,
    importedAgoS: () => (performance.now() - importedAt) / 1_000,
  }
}
