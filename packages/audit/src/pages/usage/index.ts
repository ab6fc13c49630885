/** The use of the keys. */
import type { Page } from '@cupel/console'
import { exportUsage } from './export-usage.js'
import { showUsage } from './show-usage.js'

export const usagePages: readonly Page[] = [showUsage, exportUsage]
