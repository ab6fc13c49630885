/** Two reports of one address side by side. */
import type { Page } from '@cupel/console'
import { showCompare } from './show-compare.js'

export const comparePages: readonly Page[] = [showCompare]
