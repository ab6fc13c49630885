/** Changes that one person proposes and another one confirms. */
import type { Page } from '@cupel/console'
import type { ChangePanel } from './proposed-change.js'
import { decideChange, showChange } from './show-change.js'

export {
  API_CHANGES,
  changeStatusText,
  changeTitle,
  isRedirect,
  pathOfChange,
  personText,
  sendOrPropose,
  type ChangeEffect,
  type ChangePanel,
  type ProposedChange,
} from './proposed-change.js'
export { readWaiting, WaitingChanges } from './waiting-changes.js'

/** `panels`: those of kinds whose fields say too little. */
export const changePages = (panels: readonly ChangePanel[]): readonly Page[] => [
  showChange(panels),
  decideChange(panels),
]
