export { caseView } from './reducers.js'
