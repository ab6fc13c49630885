import type { Page } from '@cupel/console'
import { inboxPages } from './inbox/index.js'
import { watchPages } from './watches/index.js'

export { inboxCard } from './inbox/inbox-card.js'

export const watchesPages: readonly Page[] = [...inboxPages, ...watchPages]
