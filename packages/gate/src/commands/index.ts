export { changeText, registerProposedChanges, type ChangeInShort } from './proposed-changes.js'
export { registerKeys } from './register.js'
