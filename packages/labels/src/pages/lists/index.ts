/** The lists that screenings use. */
import type { Page } from '@cupel/console'
import { beginImport, checkImport, confirmImport, sendPart } from './change-import.js'
import { refreshNow } from './refreshes.js'
import { showImport } from './show-import.js'
import { showLists } from './show-lists.js'

export const listsPages: readonly Page[] = [
  ...[showLists, beginImport, showImport],
  ...[sendPart, checkImport, confirmImport, refreshNow],
]
