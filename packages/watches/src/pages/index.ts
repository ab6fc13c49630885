import type { Page } from '@cupel/console'
import type { OpenCase } from './inbox/change-inbox.js'
import { inboxPages } from './inbox/index.js'
import { watchPages } from './watches/index.js'

export { inboxCard } from './inbox/inbox-card.js'

/** @param openCase the first one opens the case of a report; without it nothing does */
export const watchesPages = ([openCase]: readonly OpenCase[]): readonly Page[] => [
  ...inboxPages(openCase ?? null),
  ...watchPages,
]
