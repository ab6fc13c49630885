export { watchLists } from './watch-lists.js'
