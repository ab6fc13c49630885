/** Earlier reports. */
import type { Page } from '@cupel/console'
import { showHistory } from './show-history.js'

export const historyPages: readonly Page[] = [showHistory]
