/** Two reports of one address side by side. */
import type { Page } from '../../server/page.js'
import { showCompare } from './show-compare.js'

export const comparePages: readonly Page[] = [showCompare]
