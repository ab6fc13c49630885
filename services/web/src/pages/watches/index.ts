/** The addresses that the account watches. */
import type { Page } from '../../server/page.js'
import { showWatches } from './show-watches.js'

export const watchesPages: readonly Page[] = [showWatches]
