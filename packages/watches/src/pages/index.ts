export { InboxInShort, TOP_OF_INBOX } from './inbox/inbox-in-short.js'
export { inboxPages } from './inbox/index.js'
export { watchesPages } from './watches/index.js'
