/** Earlier reports. */
import type { Page } from '../../server/page.js'
import { showHistory } from './show-history.js'

export const historyPages: readonly Page[] = [showHistory]
