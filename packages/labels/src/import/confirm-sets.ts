/**
 * Confirms sets whose source says that they are unchanged: a publication without changes, so that their age counts from now.
 * It is what importing the same file again would append, without reading it.
 */
import { requestedEventId } from '@cupel/contracts'
import { listSets, LABEL_TOPIC, type PublishedSet } from '@cupel/read-models'
import type { LabelImportDeps } from './import-request.js'
import { confirmed, setKey } from './label-events.js'
import { catchUpLabelView, waitForLabelView, withLabelView } from './label-view-follower.js'
import { lockSources, releaseSources, requireLocks } from './source-locks.js'

export interface SetConfirmation {
  /** Only sets of this source; of every one where it is not given. */
  readonly source?: string | undefined
  readonly dataset: string
  /** Hash of the file that is unchanged: sets that another file replaced meanwhile are not confirmed. */
  readonly sha256: string
  /** Sets published from then on are not confirmed again; UTC, RFC 3339. */
  readonly publishedBefore: string
  /** Sets dated before are not confirmed: the source stands still. UTC, RFC 3339. */
  readonly notBefore?: string | undefined
  readonly importedBy: string
}

export type SetConfirmationResult =
  /** The sets that hold what the file says, and those of them that were published anew. */
  | { readonly status: 'confirmed'; readonly sets: readonly PublishedSet[]; readonly published: number }
  /** No set in force came from this file: it has to be imported. */
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
        const sets = setsOf(await listSets(deps.database), confirmation).filter(({ source }) =>
          sources.includes(source),
        )
        return await confirm(sets, confirmation, deps, () => requireLocks(connection))
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

async function confirm(
  sets: readonly PublishedSet[],
  { publishedBefore, notBefore, importedBy }: SetConfirmation,
  deps: LabelImportDeps,
  requireHeld: () => Promise<void>,
): Promise<SetConfirmationResult> {
  if (sets.length === 0) return { status: 'replaced' }
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
    deps.codec.encode(confirmed(set, { importId: requestedEventId(), publishedAt, importedBy }), {
      topic: LABEL_TOPIC,
      key: setKey(set),
    }),
  )
  await requireHeld()
  const positions = await deps.log.append('labels.publish', records)
  await waitForLabelView(deps, Math.max(...positions.map(({ offset }) => offset)) + 1)
  return { status: 'confirmed', sets, published: due.length }
}
