/**
 * Records in the log which lists are expected. A refresher does so before it first fetches a list. Every later decision then reports a
 * missing list, and a recomputation of the decision finds the same.
 */
import { decidedEventId, requestedEventId, type DomainEvent } from '@cupel/contracts'
import { LABEL_TOPIC, listSets, type PublishedSet } from '../read-model/index.js'
import type { LabelImportDeps } from './import-request.js'
import { setKey } from './set-key.js'
import { catchUpLabelView, waitForLabelView, withLabelView } from './label-view-follower.js'

export interface ExpectedList {
  /** Source of the list; undefined if only its rows name it. */
  readonly source?: string | undefined
  readonly dataset: string
}

/** Appends LabelSetExpected for each list that is not expected yet, and returns those. A repeated call appends nothing. */
export async function expectSets(
  lists: readonly ExpectedList[],
  expectedBy: string,
  deps: LabelImportDeps,
): Promise<readonly ExpectedList[]> {
  if (lists.length === 0) return []
  return await withLabelView(deps, async () => {
    await catchUpLabelView(deps)
    const sets = await listSets(deps.database)
    const unknown = lists.filter((list) => !isRequired(list, sets))
    await append(
      unknown.map((list) => ({ ...list, expected: true, reason: '' })),
      expectedBy,
      deps,
    )
    return unknown
  })
}

/** Dismisses expected lists that never came, and returns them. Published sets stay required. */
export async function dismissExpectedSets(
  dataset: string,
  { dismissedBy, reason }: { readonly dismissedBy: string; readonly reason: string },
  deps: LabelImportDeps,
): Promise<readonly PublishedSet[]> {
  return await withLabelView(deps, async () => {
    await catchUpLabelView(deps)
    const missing = (await listSets(deps.database)).filter(
      (set) => set.kind === 'expected' && set.dataset === dataset,
    )
    await append(
      missing.map(({ source }) => ({ source, dataset, expected: false, reason })),
      dismissedBy,
      deps,
    )
    return missing
  })
}

/** Whether a set is already expected, or was published and is refreshed. */
function isRequired({ source, dataset }: ExpectedList, sets: readonly PublishedSet[]): boolean {
  const own = sets.filter((set) => set.dataset === dataset && (source === undefined || set.source === source))
  const awaited = sets.some(
    (set) => set.kind === 'expected' && set.dataset === dataset && set.source === (source ?? ''),
  )
  return awaited || (own.length > 0 && own.every(({ refreshConfigured }) => refreshConfigured))
}

async function append(
  lists: readonly (ExpectedList & { readonly expected: boolean; readonly reason: string })[],
  expectedBy: string,
  deps: LabelImportDeps,
): Promise<void> {
  if (lists.length === 0) return
  const expectedAt = new Date().toISOString()
  const records = lists.map(({ source = '', dataset, expected, reason }) => {
    const expectationId = requestedEventId()
    const key = setKey({ source, dataset })
    const event: DomainEvent<'LabelSetExpected'> = {
      type: 'LabelSetExpected',
      data: { expectationId, source, dataset, expected, expectedAt, expectedBy, reason },
      envelope: {
        id: decidedEventId('LabelSetExpected', expectationId),
        source: 'cupel/label-import',
        time: expectedAt,
        subject: key,
        correlationId: expectationId,
        causationId: expectationId,
      },
    }
    return deps.codec.encode(event, { topic: LABEL_TOPIC, key })
  })
  const positions = await deps.log.append('labels.append', records)
  await waitForLabelView(deps, Math.max(...positions.map(({ offset }) => offset)) + 1)
}
