/** The use of the keys. */
import type { Page } from '../../server/page.js'
import { showUsage } from './show-usage.js'

export const usagePages: readonly Page[] = [showUsage]
