/** A list of labels by its publisher and its own name. */
import { sourceNames } from './source-names.en.js'
import { nameOf, visibleText } from './writing.js'

interface LabelSet {
  readonly source: string
  readonly dataset: string
}

/** A list by its publisher and its own name; the code of a publisher that has no name among these stays a code. */
export const setText = ({ source, dataset }: LabelSet, names: Readonly<Record<string, string>>): string =>
  source === '' ? visibleText(dataset) : `${nameOf(names, source)} / ${visibleText(dataset)}`

export const setName = (set: LabelSet): string => setText(set, sourceNames)
