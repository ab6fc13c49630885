/** The use of the keys. */
import type { Page } from '@cupel/console'
import { showUsage } from './show-usage.js'

export const usagePages: readonly Page[] = [showUsage]
