export { labelsFeature } from './feature.js'
export { judgeSets } from './lists/list-lists.js'
