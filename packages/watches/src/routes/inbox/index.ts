/** Every endpoint of the inbox. */
import type { Endpoint } from '@cupel/gate/http'
import { countUnreadEndpoint } from './count-unread.js'
import type { InboxParts } from './inbox-description.js'
import { listInboxEndpoint } from './list-inbox.js'
import { markEntriesEndpoint } from './mark-entries.js'

export function inboxEndpoints(parts: InboxParts): readonly Endpoint[] {
  return [listInboxEndpoint(parts), countUnreadEndpoint(parts), markEntriesEndpoint(parts)]
}
