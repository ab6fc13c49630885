export { readModels } from './generated/read-models.js'
