/** The labels that an import ends besides the retired ones of its own set: labels of replaced sets, and designations. */
import { lostDesignations, type OriginLabel, type SetInForce } from '@cupel/domain'
import type { Database } from '@cupel/postgres'
import { listSanctions, listSetLabels, listSets, type Label, type PublishedSet } from '@cupel/read-models'
import type { LostDesignation } from './import-request.js'
import type { LabelImport } from './label-events.js'
import { setKey } from './set-key.js'
import { SPOOL_BUCKETS } from './label-spool.js'
import { isStarterSet } from './starter-set.js'
import { candidateOf, type ChangeCounts, type SetComparison } from './set-changes.js'

export interface SetImport extends LabelImport {
  readonly counts: ChangeCounts
}

export interface Ended {
  /** Current labels of the sets that an import replaces. */
  readonly replaced: ReadonlyMap<SetComparison, readonly Label[]>
  /** The number of those labels whose fact the file does not state, by set; without sanctions of an authority's own set. */
  readonly unstated: readonly { readonly set: PublishedSet; readonly labels: number }[]
  readonly byAuthority: ReadonlyMap<string, LostByAuthority>
  readonly lost: readonly LostDesignation[]
}

export interface LostByAuthority {
  /** Addresses that are not designated any more. */
  readonly lost: readonly LostDesignation[]
  /**
   * Numbers of addresses that were designated and that no longer are, without the starter labels. Those replace the list until it comes, so
   * a starter label that the list does not state is no removal.
   */
  readonly guarded: { readonly designated: number; readonly lost: number }
}

/** Finds the ended labels. Reads every label of replaced sets and of the authorities concerned into memory. */
export async function endedBy(database: Database, sets: readonly SetImport[]): Promise<Ended> {
  const changed = sets.map(({ comparison }) => comparison).filter(({ historical }) => !historical)
  const replaced = new Map<SetComparison, readonly Label[]>()
  const unstated: { set: PublishedSet; labels: number }[] = []
  for (const comparison of changed) {
    if (comparison.replaced.length === 0) continue
    const facts = await statedFacts(comparison)
    const labels: Label[] = []
    for (const set of comparison.replaced) {
      const own: Label[] = []
      for await (const page of listSetLabels(database, set)) own.push(...page)
      labels.push(...own)
      const guarded = own.filter(({ category }) => set.authorityOrigin === '' || category !== 'sanctions')
      unstated.push({ set, labels: guarded.filter((label) => !facts.has(factOf(label))).length })
    }
    replaced.set(comparison, labels)
  }
  const byAuthority = new Map<string, LostByAuthority>()
  for (const origin of new Set(changed.flatMap(originsOf)))
    byAuthority.set(origin, await lostOf(database, origin, sets))
  return { replaced, unstated, byAuthority, lost: [...byAuthority.values()].flatMap(({ lost }) => lost) }
}

const factOf = ({ lookupKey, category }: { readonly lookupKey: string; readonly category: string }): string =>
  `${category} ${lookupKey}`

async function statedFacts({ stated }: SetComparison): Promise<ReadonlySet<string>> {
  const facts = new Set<string>()
  for (let bucket = 0; bucket < SPOOL_BUCKETS; bucket += 1)
    for (const label of await stated.bucket(bucket)) facts.add(factOf(label))
  return facts
}

/** The authorities whose designations an import of the set can end. */
const originsOf = ({ authorityOrigin, replaced }: SetComparison): readonly string[] =>
  [...new Set([authorityOrigin, ...replaced.map((set) => set.authorityOrigin)])].filter(
    (origin) => origin !== '',
  )

async function lostOf(
  database: Database,
  origin: string,
  sets: readonly SetImport[],
): Promise<LostByAuthority> {
  const before = {
    sets: await listSets(database),
    labels: await listSanctions(database, origin),
  }
  const changed = sets.filter(({ comparison: { historical } }) => !historical)
  const gone = new Set(
    changed.flatMap(({ comparison: { set, append, replaced } }) => [
      ...(append ? [] : [setKey(set)]),
      ...replaced.map(setKey),
    ]),
  )
  const own = new Set(changed.map(({ comparison: { set } }) => setKey(set)))
  const after: { sets: SetInForce[]; labels: OriginLabel[] } = {
    sets: before.sets.filter((set) => !gone.has(setKey(set)) && !own.has(setKey(set))),
    labels: before.labels.filter((label) => !gone.has(setKey(label))),
  }
  for (const { comparison, counts } of changed) {
    const { set, stated } = comparison
    after.sets.push(candidateOf(comparison, counts.total))
    for (let bucket = 0; bucket < SPOOL_BUCKETS; bucket += 1)
      for (const label of await stated.bucket(bucket))
        if (label.category === 'sanctions' && label.origin === origin)
          after.labels.push({ ...set, lookupKey: label.lookupKey })
  }
  const { lost } = lostDesignations(origin, before, after)
  const labels = before.labels.filter((label) => !isStarterSet(label))
  const guarded = lostDesignations(origin, { sets: before.sets, labels }, after)
  return {
    guarded: { designated: guarded.designated, lost: guarded.lost.length },
    lost: lost
      .map(({ chain, canonicalAddress, entity, source, dataset }) => ({
        ...{ authority: origin, chain, address: canonicalAddress, entity, source, dataset },
      }))
      .sort((a, b) => compareText(a.chain, b.chain) || compareText(a.address, b.address)),
  }
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** The number of designations that this set ends. */
export function lostBy(comparison: SetComparison, { byAuthority }: Ended): number {
  if (comparison.historical) return 0
  return originsOf(comparison).reduce((sum, origin) => sum + (byAuthority.get(origin)?.lost.length ?? 0), 0)
}

/** The numbers that the guard of removals judges, each separately. Designations count by address, all other labels by row. */
export function removalsOf(
  sets: readonly SetImport[],
  { unstated, byAuthority }: Ended,
): readonly { readonly removals: number; readonly before: number; readonly what: string }[] {
  const rows = sets.map(({ comparison: { set, authorityOrigin, liveBefore }, counts }) => {
    const removals = counts.retired - (authorityOrigin === '' ? 0 : counts.retiredSanctions)
    return {
      removals,
      before: liveBefore,
      what: `remove ${removals} of ${liveBefore} labels of ${setKey(set)}`,
    }
  })
  const withdrawn = unstated.map(({ set, labels }) => ({
    ...{ removals: labels, before: set.total },
    what: `remove ${labels} of ${set.total} labels of ${setKey(set)}`,
  }))
  const designations = [...byAuthority].map(
    ([
      origin,
      {
        guarded: { designated, lost },
      },
    ]) => ({
      ...{ removals: lost, before: designated },
      what: `end ${lost} of ${designated} designations by ${origin}`,
    }),
  )
  return [...rows, ...withdrawn, ...designations]
}
