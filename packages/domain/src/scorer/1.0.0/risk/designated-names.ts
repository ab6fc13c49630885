/** Whether a name is that of a party on an authority's own list, whatever address it is stated for. */
import type { LabelSetFacts } from './label-facts.js'
import { isInForce } from './lists.js'
import { asLatin, mixesScripts } from './look-alikes.js'
import { namesParty, normalizedName } from './party-names.js'

/** Names as stated, with their normalized form and what that looks like. */
type Names = readonly (readonly [stated: string, normalized: string, latin: string])[]

/** A batch is decided from one array of sets. */
const remembered = new WeakMap<readonly LabelSetFacts[], Names>()

/**
 * The first name, as the list states it, that the given one is, contains or looks like; null without any. A name that mixes scripts in one
 * word may look like any, so it is its own.
 */
export function designatedNamesake(name: string, labelSets: readonly LabelSetFacts[]): string | null {
  let names = remembered.get(labelSets)
  if (names === undefined) remembered.set(labelSets, (names = namesInForce(labelSets)))
  const asked = [normalizedName(name), normalizedName(asLatin(name))]
  const party = names.find(([, ...written]) => written.some((of, index) => namesParty(asked[index]!, of)))
  return party?.[0] ?? (mixesScripts(name) ? name : null)
}

const namesInForce = (labelSets: readonly LabelSetFacts[]): Names =>
  labelSets
    .filter((set) => set.authorityOrigin !== '' && isInForce(set, labelSets))
    .flatMap(({ parties }) => parties.map((stated) => [stated, normalizedName(stated), normalizedName(asLatin(stated))] as const))
