/** The first page. */
import type { Page } from '../../server/page.js'
import { showHome } from './show-home.js'

export const homePages: readonly Page[] = [showHome]
