/** What waits for a person. */
import type { Page } from '@cupel/console'
import { changeInbox } from './change-inbox.js'
import { showInbox } from './show-inbox.js'

export const inboxPages: readonly Page[] = [showInbox, changeInbox]
