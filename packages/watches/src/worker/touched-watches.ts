/** Finds the addresses that new segments of the ledger, or other labels, can give another answer, with the policy and the labels in force. */
import { attribute, compilePolicyText, parseAddress, type CompiledPolicy } from '@cupel/domain'
import { addressesReaching, touchedAddresses, type TouchRequest } from '@cupel/ledger'
import type { Queryable } from '@cupel/postgres'
import { labelFacts, newestLabelSetSeq, readLabelsAsOf, setFacts, type Label } from '@cupel/labels/read-model'
import type { FindTouched } from '../index.js'

export const findTouched: FindTouched = async (database, change) => {
  const policy = await policyInForce(database)
  // Without a policy nothing says how far a search goes.
  if (policy === null) return 'all'
  const now = new Date()
  const labelled = createLabelled(database, { chain: change.chain, policy, generatedAt: now.toISOString() })
  if ('relabelled' in change)
    return await addressesReaching(database, {
      ...{ chain: change.chain, addresses: change.relabelled, policy, labelled },
    })
  return await touchedAddresses(database, { ...change, policy, labelled, nowS: now.getTime() / 1_000 })
}

async function policyInForce(database: Queryable): Promise<CompiledPolicy | null> {
  const [row] = await database.query<{ document: string }>(
    'SELECT document FROM policy_view.activation ORDER BY policy_seq DESC LIMIT 1',
  )
  return row === undefined ? null : compilePolicyText(row.document)
}

/** Only the addresses that may end a path are asked for: they are few. */
function createLabelled(
  database: Queryable,
  context: { readonly chain: string; readonly policy: CompiledPolicy; readonly generatedAt: string },
): TouchRequest['labelled'] {
  return async (addresses) => {
    const found = new Map<string, { readonly isService: boolean }>()
    const keyOf = new Map<string, string>()
    for (const one of addresses) {
      const parsed = parseAddress(one, context.chain)
      if (parsed.ok) keyOf.set(one, parsed.lookupKey)
      // The node of several keys has the labels of each.
      else found.set(one, { isService: false })
    }
    if (keyOf.size === 0) return found
    const labelSetSeq = await newestLabelSetSeq(database)
    const lookupKeys = [...new Set(keyOf.values())]
    const { sets, labels } = await readLabelsAsOf(database, { lookupKeys, labelSetSeq })
    const labelSets = sets.map(setFacts)
    const byKey = new Map<string, Label[]>()
    for (const label of labels) byKey.set(label.lookupKey, [...(byKey.get(label.lookupKey) ?? []), label])
    for (const [one, key] of keyOf) {
      const own = byKey.get(key)
      if (own === undefined) continue
      const { service } = attribute(own.map(labelFacts), { ...context, labelSets })
      found.set(one, { isService: service !== null })
    }
    return found
  }
}
