/** Changes of keys and lists that one person proposes and another one confirms. */
import type { Page } from '@cupel/console'
import { decideChange, showChange } from './show-change.js'

export { isRedirect, sendOrPropose } from './proposed-change.js'
export { readWaiting, WaitingChanges } from './waiting-changes.js'
export const changePages: readonly Page[] = [showChange, decideChange]
