export { type ReadLogCheckpoint, getLogCheckpoint } from './get-log-checkpoint.js'
export { type ReadLogTile, getLogTile } from './get-log-tile.js'
export { openToEverybody } from './public-log.js'
