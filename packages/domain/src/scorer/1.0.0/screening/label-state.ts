/** The state of every list of labels as one event, named by its hash, so that reports can name it instead of repeating it. */
import type { LabelStateRecorded } from '@cupel/contracts'
import { canonicalJson, sha256Hex } from '../json/canonical-json.js'
import type { ScreeningSnapshot } from './screening-inputs.js'

export type LabelStateFacts = Pick<ScreeningSnapshot, 'labelSetSeq' | 'labelsAsOf' | 'labelSets'>

/** A batch is decided from one array of sets, and a state stays the same until the next publication. */
const remembered = new WeakMap<LabelStateFacts['labelSets'], LabelStateRecorded>()

/** The state with its name: SHA-256, lowercase hex, of the RFC 8785 form of its facts. */
export function labelState({ labelSetSeq, labelsAsOf, labelSets }: LabelStateFacts): LabelStateRecorded {
  const last = remembered.get(labelSets)
  if (last?.labelSetSeq === labelSetSeq && last.labelsAsOf === labelsAsOf) return last
  const facts = { labelSetSeq, labelsAsOf, labelSets }
  const state = { sha256: sha256Hex(canonicalJson(facts)), ...facts }
  remembered.set(labelSets, state)
  return state
}
