export { labelsFeature } from './feature.js'
export { importChange } from './list-imports/import-change.js'
export { judgeSets } from './lists/list-lists.js'
