/** A shared report, and the changes of links. Their panel is on the page of the report. */
import type { Page } from '@cupel/console'
import { makeShare, revokeShare } from './change-shares.js'
import { newLink } from './show-link.js'
import { showShared } from './show-shared.js'

export const sharingPages: readonly Page[] = [showShared, makeShare, newLink, revokeShare]
export { sharePanel } from './report-panel.js'
