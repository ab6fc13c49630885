export { inboxView } from './reducers.js'
