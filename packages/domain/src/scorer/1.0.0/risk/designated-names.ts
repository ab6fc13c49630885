/** Whether a name is that of a party on an authority's own list, whatever address it is stated for. */
import type { LabelSetFacts } from './label-facts.js'
import { isInForce } from './lists.js'
import { namesParty, normalizedName } from './party-names.js'

/** Names as stated, with their normalized form. */
type Names = readonly (readonly [stated: string, normalized: string])[]

/** A batch is decided from one array of sets. */
const remembered = new WeakMap<readonly LabelSetFacts[], Names>()

/** The first name, as the list states it, that the given one is or contains; null without any. */
export function designatedNamesake(name: string, labelSets: readonly LabelSetFacts[]): string | null {
  let names = remembered.get(labelSets)
  if (names === undefined) remembered.set(labelSets, (names = namesInForce(labelSets)))
  const asked = normalizedName(name)
  return names.find(([, party]) => namesParty(asked, party))?.[0] ?? null
}

const namesInForce = (labelSets: readonly LabelSetFacts[]): Names =>
  labelSets
    .filter((set) => set.authorityOrigin !== '' && isInForce(set, labelSets))
    .flatMap(({ parties }) => parties.map((stated) => [stated, normalizedName(stated)] as const))
