/** The lists that screenings use. */
import type { Page } from '../../server/page.js'
import { showLists } from './show-lists.js'

export const listsPages: readonly Page[] = [showLists]
