export { type ComparedLog, compareLabelRows, countLabelRows } from './compare-rows.js'
export { labelFacts, newestPublication, setFacts } from './decision-facts.js'
export { readJudgedLists } from './judged-lists.js'
export { rememberLabels } from './label-memory.js'
export { type Label, underAskedKeys } from './labels.js'
export {
  type DecidedOwnLabel,
  type OwnLabelQuestion,
  inForceAt,
  ownLabelsOf,
  readOwnLabels,
} from './own-labels/queries.js'
export { listSanctions, listSetLabels, showLabels } from './queries.js'
export { LABEL_PARTITION, LABEL_TOPIC, labelView, labelViewGroup } from './reducers.js'
export { type LabelCursor, MAX_LOOKED_AT, searchLabels } from './search-labels.js'
export { type PublishedSet, listPublications, listSets, newestLabelSetSeq } from './sets.js'
export {
  type LabelSnapshot,
  type SnapshotWanted,
  readLabelSnapshot,
  readLabelsAsOf,
  readOnlyLabelsAsOf,
} from './snapshot.js'
export { findLabelStateAt } from './state-at.js'
export { type StatedInputsDeps, createStatedPublications } from './stated-publications.js'
