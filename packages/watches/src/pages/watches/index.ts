/** The addresses that the account watches. */
import type { Page } from '@cupel/console'
import { createWatches } from './create-watches.js'
import { removeWatch } from './remove-watch.js'
import { showWatches } from './show-watches.js'

export const watchPages: readonly Page[] = [showWatches, createWatches, removeWatch]
