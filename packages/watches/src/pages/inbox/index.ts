/** What waits for a person. */
import type { Page } from '@cupel/console'
import { changeInbox, type OpenCase } from './change-inbox.js'
import { showInbox } from './show-inbox.js'

export const inboxPages = (openCase: OpenCase | null): readonly Page[] => [
  showInbox(openCase !== null),
  changeInbox(openCase),
]
