/** Which sets of an authority are versions of one list: those whose documents have one name, or else largely the same addresses. */
import type { StatedLabel } from '@cupel/domain'
import type { Database } from '@cupel/postgres'
import { listSanctions, type PublishedSet } from '../read-model/index.js'
import { setKey } from './set-key.js'
import { SPOOL_BUCKETS, type LabelSpool } from './label-spool.js'

/** A whole list that an import reads. */
export interface ImportedList {
  readonly authorityOrigin: string
  readonly whole: boolean
  /** Empty where the document names none. */
  readonly list: string
  readonly asOf: string | null
  readonly stated: LabelSpool<StatedLabel>
}

/** The sets, as source/dataset. Parts have no versions: they always designate together. */
export async function versionsAmong(
  database: Database,
  sets: readonly PublishedSet[],
  imported: ImportedList,
): Promise<readonly string[]> {
  const { authorityOrigin, whole, list } = imported
  if (!whole || authorityOrigin === '') return []
  const whose = sets.filter((set) => set.whole && set.authorityOrigin === authorityOrigin)
  const isNamed = (set: PublishedSet): boolean => set.list !== '' && list !== ''
  const versions = whose.filter((set) => isNamed(set) && set.list === list)
  const unnamed = whose.filter((set) => !isNamed(set))
  if (unnamed.length > 0) {
    const own = await addressesOf(imported.stated)
    const known = await listSanctions(database, authorityOrigin)
    const keysOf = (set: PublishedSet): ReadonlySet<string> =>
      new Set(known.filter((label) => setKey(label) === setKey(set)).map(({ lookupKey }) => lookupKey))
    versions.push(...unnamed.filter((set) => shareHalf(own, keysOf(set), isBefore(imported.asOf, set.asOf))))
  }
  return versions.map(setKey)
}

async function addressesOf(stated: LabelSpool<StatedLabel>): Promise<ReadonlySet<string>> {
  const keys = new Set<string>()
  for (let bucket = 0; bucket < SPOOL_BUCKETS; bucket += 1)
    for (const { category, lookupKey } of await stated.bucket(bucket))
      if (category === 'sanctions') keys.add(lookupKey)
  return keys
}

const isBefore = (asOf: string | null, other: string | null): boolean =>
  asOf !== null && other !== null && asOf < other

/** Whether the two share at least half of the addresses of the older one. */
function shareHalf(own: ReadonlySet<string>, other: ReadonlySet<string>, isOlder: boolean): boolean {
  const older = isOlder ? own : other
  const shared = [...own].filter((key) => other.has(key)).length
  return older.size > 0 && shared * 2 >= older.size
}
