/** The health of the installation, for operators. */
import type { Page } from '@cupel/console'
import { showHealth } from './show-health.js'

export const healthPages: readonly Page[] = [showHealth]
