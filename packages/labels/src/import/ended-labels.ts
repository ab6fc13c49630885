/** The labels that an import ends besides the retired ones of its own set: labels of replaced sets, and designations. */
import {
  isComplete,
  authorityOriginOf,
  guardRemovals,
  lostDesignations,
  type LabelSetName,
  type OriginLabel,
  type SetInForce,
  type StatedLabel,
} from '@cupel/domain'
import type { Database } from '@cupel/postgres'
import { listSanctions, listSetLabels, listSets, type Label, type PublishedSet } from '../read-model/index.js'
import type { LostDesignation } from './import-request.js'
import type { LabelImport } from './label-events.js'
import { setKey } from './set-key.js'
import { SPOOL_BUCKETS, type LabelSpool } from './label-spool.js'
import { isStarterSet } from './starter-set.js'
import { candidateOf, type ChangeCounts, type SetComparison } from './set-changes.js'

export interface SetImport extends LabelImport {
  readonly counts: ChangeCounts
}

export interface Ended {
  /** Current labels of the sets that an import replaces. */
  readonly replaced: ReadonlyMap<SetComparison, readonly Label[]>
  /** The number of those labels whose fact the file does not state, by set; without sanctions. */
  readonly unstated: readonly { readonly set: PublishedSet; readonly labels: number }[]
  /** Addresses that an own list sanctioned, and that the file does not. */
  readonly unsanctioned: readonly ListLoss[]
  readonly byAuthority: ReadonlyMap<string, LostByAuthority>
  readonly lost: readonly LostDesignation[]
}

/** Numbers of addresses: those that one list designated, and those of them that lose it. */
export interface ListLoss {
  readonly set: LabelSetName
  readonly designated: number
  readonly lost: number
}

/**
 * The authority states its list itself for the first time, so other sources no longer speak for it. Numbers of addresses that they
 * restated.
 */
export interface TakeOver {
  readonly authority: string
  readonly stated: number
  readonly unstated: number
}

export interface LostByAuthority {
  /** Null if the authority's whole list was here before, or still is not here, or nobody restated it. */
  readonly takeOver: TakeOver | null
  /** Addresses that are not designated any more. */
  readonly lost: readonly LostDesignation[]
  /**
   * Numbers of addresses that were designated and that no longer are, without the starter labels. Those replace the list until it comes, so
   * a starter label that the list does not state is no removal.
   */
  readonly guarded: {
    readonly designated: number
    readonly lost: number
    readonly byList: readonly ListLoss[]
  }
}

/** Finds the ended labels. Reads every label of replaced sets and of the authorities concerned into memory. */
export async function endedBy(database: Database, sets: readonly SetImport[]): Promise<Ended> {
  const changed = sets.map(({ comparison }) => comparison).filter(({ historical }) => !historical)
  const replaced = new Map<SetComparison, readonly Label[]>()
  const unstated: { set: PublishedSet; labels: number }[] = []
  const unsanctioned: ListLoss[] = []
  for (const { comparison, counts } of sets)
    if (comparison.authorityOrigin === '' && counts.retiredSanctions > 0)
      unsanctioned.push(
        lossOf(comparison.set, await factsOf(comparison.known), await factsOf(comparison.stated)),
      )
  for (const comparison of changed) {
    if (comparison.replaced.length === 0) continue
    const facts = await factsOf(comparison.stated)
    const labels: Label[] = []
    for (const set of comparison.replaced) {
      const own: Label[] = []
      for await (const page of listSetLabels(database, set)) own.push(...page)
      labels.push(...own)
      const others = own.filter(({ category }) => category !== 'sanctions')
      unstated.push({ set, labels: others.filter((label) => !facts.has(factOf(label))).length })
      if (set.authorityOrigin === '') unsanctioned.push(lossOf(set, new Set(own.map(factOf)), facts))
    }
    replaced.set(comparison, labels)
  }
  const byAuthority = new Map<string, LostByAuthority>()
  for (const origin of new Set(changed.flatMap(originsOf)))
    byAuthority.set(origin, await lostOf(database, origin, sets))
  const lost = [...byAuthority.values()].flatMap((authority) => authority.lost)
  return { replaced, unstated, unsanctioned, byAuthority, lost }
}

/** The sanctions among the facts of a list, and those of them that are no longer stated. */
function lossOf(
  { source, dataset }: LabelSetName,
  before: ReadonlySet<string>,
  after: ReadonlySet<string>,
): ListLoss {
  const sanctions = [...before].filter((fact) => fact.startsWith('sanctions '))
  const lost = sanctions.filter((fact) => !after.has(fact)).length
  return { set: { source, dataset }, designated: sanctions.length, lost }
}

const factOf = ({ lookupKey, category }: { readonly lookupKey: string; readonly category: string }): string =>
  `${category} ${lookupKey}`

async function factsOf(spool: LabelSpool<StatedLabel>): Promise<ReadonlySet<string>> {
  const facts = new Set<string>()
  for await (const label of labelsIn(spool)) facts.add(factOf(label))
  return facts
}

async function* labelsIn<L>(spool: LabelSpool<L>): AsyncGenerator<L> {
  for (let bucket = 0; bucket < SPOOL_BUCKETS; bucket += 1) yield* await spool.bucket(bucket)
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
    for await (const label of labelsIn(stated))
      if (label.category === 'sanctions' && label.origin === origin)
        after.labels.push({ ...set, lookupKey: label.lookupKey })
  }
  const { lost } = lostDesignations(origin, before, after)
  const restated = {
    sets: before.sets,
    labels: before.labels.filter(({ source }) => authorityOriginOf(source) === null),
  }
  const isFirst = hasWholeList(after.sets, origin) && !hasWholeList(before.sets, origin)
  const labels = before.labels.filter((label) => !isStarterSet(label))
  const guarded = lostDesignations(origin, { sets: before.sets, labels }, after)
  return {
    takeOver: isFirst ? takeOverOf(origin, lostDesignations(origin, restated, after)) : null,
    guarded: {
      ...{ designated: guarded.designated, lost: guarded.lost.length },
      byList: lossesByList(labels, guarded.lost),
    },
    lost: lost
      .map(({ chain, canonicalAddress, entity, source, dataset }) => ({
        ...{ authority: origin, chain, address: canonicalAddress, entity, source, dataset },
        isRestatement: authorityOriginOf(source) === null,
      }))
      .sort((a, b) => compareText(a.chain, b.chain) || compareText(a.address, b.address)),
  }
}

const hasWholeList = (sets: readonly SetInForce[], origin: string): boolean =>
  sets.some((set) => set.authorityOrigin === origin && set.whole && set.total > 0 && isComplete(set))

const takeOverOf = (
  authority: string,
  { designated, lost }: ReturnType<typeof lostDesignations>,
): TakeOver | null =>
  designated === 0 ? null : { authority, stated: designated - lost.length, unstated: lost.length }

/** What a first whole list does to restatements, in words; it is what such a list is for. */
export const takeOverText = ({ authority, stated, unstated }: TakeOver): string =>
  `let the list of ${authority} take the place of its restatements by other sources: ${addresses(stated)} now stated by the ` +
  `authority itself, and ${addresses(unstated)} no longer stated`

const addresses = (count: number): string => (count === 1 ? '1 address is' : `${count} addresses are`)

/** One list of an authority can lose all of its addresses while they are few among those of all its lists. */
function lossesByList(labels: readonly Label[], lost: readonly Label[]): readonly ListLoss[] {
  const keys = new Set(lost.map(({ lookupKey }) => lookupKey))
  const lists = new Map<string, { readonly set: LabelSetName; readonly keys: Set<string> }>()
  for (const { source, dataset, lookupKey } of labels) {
    const set = { source, dataset }
    const list = lists.get(setKey(set)) ?? { set, keys: new Set() }
    lists.set(setKey(set), { ...list, keys: list.keys.add(lookupKey) })
  }
  return [...lists.values()].map((list) => ({
    ...{ set: list.set, designated: list.keys.size },
    lost: [...list.keys].filter((key) => keys.has(key)).length,
  }))
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** The number of designations that this set ends. */
export function lostBy(comparison: SetComparison, { byAuthority }: Ended): number {
  if (comparison.historical) return 0
  return originsOf(comparison).reduce((sum, origin) => sum + (byAuthority.get(origin)?.lost.length ?? 0), 0)
}

export interface Removals {
  readonly removals: number
  readonly isGuarded: boolean
  readonly what: string
}

/** The numbers that the guard of removals judges, each separately. Designations count by address, all other labels by row. */
export function removalsOf(
  sets: readonly SetImport[],
  { unstated, unsanctioned, byAuthority }: Ended,
): readonly Removals[] {
  const rows = sets.map(({ comparison: { set, liveBefore }, counts }) => {
    const removals = counts.retired - counts.retiredSanctions
    return removalOfLabels(set, removals, liveBefore)
  })
  const withdrawn = unstated.map(({ set, labels }) => removalOfLabels(set, labels, set.total))
  const sanctions = unsanctioned.map(({ set, designated, lost }) => ({
    ...{ removals: lost, isGuarded: isGuardedLoss({ designated, lost }) },
    what: `end ${lost} of ${designated} sanctions of ${setKey(set)}`,
  }))
  const designations = [...byAuthority].map(([origin, { guarded, lost, takeOver }]) => ({
    removals: guarded.lost,
    isGuarded: [guarded, ...guarded.byList].some(isGuardedLoss),
    what:
      takeOver !== null && lost.every(({ isRestatement }) => isRestatement)
        ? takeOverText(takeOver)
        : `end ${guarded.lost} of ${guarded.designated} designations by ${origin}`,
  }))
  return [...rows, ...withdrawn, ...sanctions, ...designations]
}

const removalOfLabels = (set: LabelSetName, removals: number, before: number): Removals => ({
  removals,
  isGuarded: !guardRemovals({ liveBefore: before, removals, accepted: null }).ok,
  what: `remove ${removals} of ${before} labels of ${setKey(set)}`,
})

const isGuardedLoss = ({ designated, lost }: Pick<ListLoss, 'designated' | 'lost'>): boolean =>
  !guardRemovals({ liveBefore: designated, removals: lost, accepted: null, designates: true }).ok
