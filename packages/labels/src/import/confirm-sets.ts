/**
 * Confirms sets whose source reports no change: a publication without changes, so that their age counts from now. It appends
 * the same events as an import of the same file, without reading the file.
 */
import { requestedEventId } from '@cupel/contracts'
import { isComplete, isVersionOf } from '@cupel/domain'
import { listSets, LABEL_TOPIC, newestLabelSetSeq, type PublishedSet } from '../read-model/index.js'
import type { LabelImportDeps } from './import-request.js'
import { confirmed } from './label-events.js'
import { setKey } from './set-key.js'
import { catchUpLabelView, waitForLabelView, withLabelView } from './label-view-follower.js'
import { lockSources, releaseSources, requireLocks } from './source-locks.js'

export interface SetConfirmation {
  /** Only sets of this source; without it, sets of any source. */
  readonly source?: string | undefined
  readonly dataset: string
  /** Hash of the unchanged file. A set that another file replaced in the meantime is not confirmed. */
  readonly sha256: string
  /** Sets published at or after this time are not confirmed again; UTC, RFC 3339. */
  readonly publishedBefore: string
  /** Sets with an earlier date are not confirmed, because their source is no longer updated. UTC, RFC 3339. */
  readonly notBefore?: string | undefined
  /** The time at which the file was found unchanged, and the authorities (origins) that own its address. */
  readonly confirmed: { readonly at: string; readonly authorities: readonly string[] }
  readonly importedBy: string
}

export type SetConfirmationResult =
  /** The sets that came from the file, and those that this call confirmed. */
  | { readonly status: 'confirmed'; readonly sets: readonly PublishedSet[]; readonly published: number }
  /** No current set came from this file, or one that did is in doubt: it must be imported. */
  | { readonly status: 'replaced' }
  | { readonly status: 'too-old'; readonly message: string }

export async function confirmSets(
  confirmation: SetConfirmation,
  deps: LabelImportDeps,
): Promise<SetConfirmationResult> {
  return await withLabelView(deps, () =>
    deps.database.withConnection(async (connection) => {
      const found = setsOf(await listSets(deps.database), confirmation)
      const sources = found.map(({ source }) => source)
      await lockSources(connection, sources, () => undefined)
      try {
        await catchUpLabelView(deps)
        const basedOnSeq = await newestLabelSetSeq(deps.database)
        const all = await listSets(deps.database)
        const sets = setsOf(all, confirmation).filter(({ source }) => sources.includes(source))
        return await confirm(sets, { ...confirmation, basedOnSeq, all }, deps, () => requireLocks(connection))
      } finally {
        await releaseSources(connection, sources)
      }
    }),
  )
}

function setsOf(
  sets: readonly PublishedSet[],
  { source, dataset, sha256 }: SetConfirmation,
): readonly PublishedSet[] {
  return sets.filter(
    (set) =>
      set.dataset === dataset && set.sha256 === sha256 && (source === undefined || set.source === source),
  )
}

/**
 * Only an import ends a conflict, or the doubt about a set that lost or gave up its labels, or has rows that nobody can read. A list that
 * its authority left empty is certain.
 */
const isInDoubt = (set: PublishedSet): boolean =>
  set.staleBase ||
  !isComplete(set) ||
  (set.total === 0 && !(set.refreshConfigured && set.confirmedAt !== null))

async function confirm(
  sets: readonly PublishedSet[],
  {
    publishedBefore,
    notBefore,
    confirmed: { at, authorities },
    importedBy,
    basedOnSeq,
    all,
  }: SetConfirmation & { readonly basedOnSeq: number; readonly all: readonly PublishedSet[] },
  deps: LabelImportDeps,
  requireHeld: () => Promise<void>,
): Promise<SetConfirmationResult> {
  if (sets.length === 0 || sets.some(isInDoubt)) return { status: 'replaced' }
  const old = sets.find(({ asOf }) => notBefore !== undefined && (asOf === null || asOf < notBefore))
  if (old !== undefined) {
    const dated = old.asOf === null ? 'has no date' : `is dated ${old.asOf.slice(0, 10)}`
    return { status: 'too-old', message: `${setKey(old)} ${dated}` }
  }
  const due = sets.filter(
    ({ publishedAt, refreshConfigured }) => !refreshConfigured || publishedAt < publishedBefore,
  )
  if (due.length === 0) return { status: 'confirmed', sets, published: 0 }
  const publishedAt = new Date().toISOString()
  const records = due.map((set) =>
    deps.codec.encode(
      confirmed(set, {
        ...{ importId: requestedEventId(), publishedAt, basedOnSeq, importedBy },
        versionOf: all.filter((other) => other !== set && isVersionOf(other, set)).map(setKey),
        // An address that is not the authority's own proves nothing about the authority's current list.
        confirmedAt: authorities.includes(set.authorityOrigin) ? at : set.confirmedAt,
      }),
      { topic: LABEL_TOPIC, key: setKey(set) },
    ),
  )
  await requireHeld()
  const positions = await deps.log.append('labels.publish', records)
  await waitForLabelView(deps, Math.max(...positions.map(({ offset }) => offset)) + 1)
  return { status: 'confirmed', sets, published: due.length }
}
