/** The entries of the navigation, in the order of use. One whose page no feature has is left out. */
import { mayAdminister, mayOperate } from '../session/rights.js'
import type { Session } from '../session/session-cookie.js'

export interface NavigationEntry {
  readonly path: `/${string}`
  readonly label: string
  /** Absent: everybody who is signed in sees it. */
  readonly isFor?: (session: Session) => boolean
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
  { path: '/labels', label: 'Labels', isFor: mayAdminister },
  { path: '/ledger', label: 'Ledger', isFor: mayOperate },
  { path: '/policy', label: 'Policy' },
  { path: '/webhooks', label: 'Webhooks' },
  { path: '/keys', label: 'Keys', isFor: mayAdminister },
  { path: '/accounts', label: 'Accounts', isFor: mayOperate },
  { path: '/usage', label: 'Usage' },
  { path: '/audit', label: 'Audit log' },
  { path: '/health', label: 'Health', isFor: mayOperate },
]

/** The longest entry whose path is the beginning of the given one. */
export function sectionOf(target: string): string {
  const [path = '/'] = target.split('?', 1)
  const matching = navigation.filter((entry) => entry.path === path || path.startsWith(`${entry.path}/`))
  return matching.sort((one, other) => other.path.length - one.path.length)[0]?.path ?? ''
}
