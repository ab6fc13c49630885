/** The entries of the navigation, in the order of use. One whose page no feature has is left out. */
import { mayAdminister, mayOperate } from '../session/rights.js'
import type { Session } from '../session/session-cookie.js'

export interface NavigationEntry {
  readonly path: `/${string}`
  readonly label: string
  /** Absent: everybody who is signed in sees it. */
  readonly isFor?: (session: Session) => boolean
  /** True: it opens behind "Administration", so that the navigation is one line. */
  readonly isAdministration?: true
}

export const navigation: readonly NavigationEntry[] = [
  { path: '/', label: 'Home' },
  { path: '/inbox', label: 'Inbox' },
  { path: '/screen', label: 'Screen' },
  { path: '/history', label: 'History' },
  { path: '/bulk', label: 'Bulk' },
  { path: '/cases', label: 'Cases' },
  { path: '/watches', label: 'Watches' },
  { path: '/lists', label: 'Lists' },
  { path: '/labels', label: 'Labels', isFor: mayAdminister, isAdministration: true },
  { path: '/ledger', label: 'Ledger', isFor: mayOperate, isAdministration: true },
  { path: '/policy', label: 'Policy', isAdministration: true },
  { path: '/webhooks', label: 'Webhooks', isAdministration: true },
  { path: '/keys', label: 'Keys', isFor: mayAdminister, isAdministration: true },
  { path: '/accounts', label: 'Accounts', isFor: mayOperate, isAdministration: true },
  { path: '/usage', label: 'Usage', isAdministration: true },
  { path: '/audit', label: 'Audit log', isAdministration: true },
  { path: '/health', label: 'Health', isFor: mayOperate, isAdministration: true },
]

/** The longest entry whose path is the beginning of the given one. */
export function sectionOf(target: string): string {
  const [path = '/'] = target.split('?', 1)
  const matching = navigation.filter((entry) => entry.path === path || path.startsWith(`${entry.path}/`))
  return matching.sort((one, other) => other.path.length - one.path.length)[0]?.path ?? ''
}
