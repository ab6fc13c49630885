/** The judgement of an address by the labels of an installation, without chain data and without a ledger. */
import { compiledDefaultPolicy, judge, parseAddress, type Judgement } from '@cupel/domain'
import { listSets } from '../../src/read-model/sets.js'
import { showLabels } from '../../src/read-model/queries.js'
import type { ImportInstallation } from './installation.js'

export async function judgedIn(
  { database }: ImportInstallation,
  address: string,
  chain: string | null,
): Promise<Judgement> {
  const parsed = parseAddress(address, chain)
  if (!parsed.ok) throw new Error(parsed.detail)
  const labels = await showLabels(database, { lookupKeys: [parsed.lookupKey] })
  const sets = await listSets(database)
  return judge({
    chain: parsed.chain,
    canonicalAddress: parsed.canonical,
    labels: labels.map((label) => ({ ...label, address: label.canonicalAddress })),
    labelSets: sets.map((set) => ({ ...set, refreshConfigured: false })),
    labelView: 'current',
    chainKnowledge: { status: 'unavailable' },
    generatedAt: new Date().toISOString(),
    policy: compiledDefaultPolicy,
  })
}
