/** The first page. */
import type { Page } from '@cupel/console'
import { showHome } from './show-home.js'

export const homePages: readonly Page[] = [showHome]
