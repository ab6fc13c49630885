/**
 * Compares inputs that the scorer reads from read models with the log, before they decide anything: an altered row stops screening
 * and changes no score. Each version is compared once in a process.
 */
import { PausedError } from '@cupel/projections'
import {
  contradictionOf,
  readActivePolicy,
  readStatedPolicies,
  type ActivePolicy,
} from '@cupel/policy/read-model'
import { createStatedPublications, type LabelSnapshot, type StatedInputsDeps } from '@cupel/labels/read-model'

export interface StatedInputs {
  /** Throws PausedError with the reason if the log does not state the policy and the sets of the snapshot that are new to the caller. */
  require(snapshot: Pick<LabelSnapshot, 'policy' | 'sets' | 'labelSetSeq'>): Promise<void>
  /** Why the rows that are inputs now must not be used; null where they may be. */
  fault(): Promise<string | null>
}

export function createStatedInputs(deps: StatedInputsDeps): StatedInputs {
  const { log, codec, database } = deps
  const publications = createStatedPublications(deps)
  /** The row that was compared last and agreed, as text. */
  let agreed: string | null = null

  async function faultOf(policy: ActivePolicy): Promise<string | null> {
    const row = JSON.stringify(Object.entries(policy).sort())
    if (row === agreed) return null
    const stated = await readStatedPolicies(log, codec)
    const contradiction = contradictionOf(policy, stated)
    if (contradiction !== null) return contradiction
    if (policy.policySeq < stated.length)
      return `policy-view has activation ${policy.policySeq} in force, and the log states ${stated.length}: the view is behind, or lacks rows.`
    agreed = row
    return null
  }

  return {
    async require({ policy, sets, labelSetSeq }) {
      const fault =
        (policy === null ? null : await faultOf(policy)) ??
        (sets === null ? null : await publications.faultOf(labelSetSeq, sets))
      if (fault !== null) throw new PausedError(fault)
    },
    async fault() {
      const policy = await readActivePolicy(database)
      return (policy === null ? null : await faultOf(policy)) ?? (await publications.fault())
    },
  }
}
