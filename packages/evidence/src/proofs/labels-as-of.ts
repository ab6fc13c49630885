/** The labels of look-up keys in one state of all lists, in the form that decisions take. */
import type { LabelFacts } from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'
import { labelFacts, readOnlyLabelsAsOf } from '@cupel/labels/read-model'

/** By look-up key; a key without labels has no entry. */
export type LabelsByKey = ReadonlyMap<string, readonly LabelFacts[]>

export async function labelsByKeyAsOf(
  database: Queryable,
  of: { readonly lookupKeys: readonly string[]; readonly labelSetSeq: number },
): Promise<LabelsByKey> {
  const byKey = new Map<string, LabelFacts[]>()
  for (const label of await readOnlyLabelsAsOf(database, of)) {
    const known = byKey.get(label.lookupKey)
    if (known === undefined) byKey.set(label.lookupKey, [labelFacts(label)])
    else known.push(labelFacts(label))
  }
  return byKey
}
