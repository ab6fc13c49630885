/** The state of a list: a sign and a word, and its age. */
import { en, nameOf } from '@cupel/reports/document'
import type { LabelList } from '@cupel/console'

/** `superseded` and `withdrawn` are history: they block nothing. */
const signs: Readonly<Record<string, string>> = { current: '✓', superseded: '·', withdrawn: '·' }

/** The list is needed and cannot be relied on, so no report is green. */
export const isInTheWay = ({ required, status }: LabelList): boolean =>
  required && !['current', 'superseded', 'withdrawn'].includes(status)

/** The whole list of an authority is in force, whatever its age. */
export const isWholeList = ({ authority, whole, status }: LabelList): boolean =>
  authority !== null && whole && !['superseded', 'withdrawn', 'missing'].includes(status)

export const hasWholeList = (lists: readonly LabelList[]): boolean => lists.some(isWholeList)

export function ListState({ list }: { readonly list: LabelList }) {
  const { status } = list
  const kind = isInTheWay(list) ? 'bad' : status === 'current' ? 'good' : 'other'
  return (
    <span class={`list-state list-state-${kind}`}>
      <span class="sign" aria-hidden="true">
        {signs[status] ?? '!'}
      </span>{' '}
      {nameOf(en.listStatuses, status)}
    </span>
  )
}

const HOURS_PER_DAY = 24
/** Beyond this age days are clearer than hours. */
const MAX_HOURS = 48

export function ageText(hours: number | null): string {
  if (hours === null) return 'not known'
  if (hours < 1) return 'under 1 h'
  if (hours <= MAX_HOURS) return `${Math.floor(hours)} h`
  return `${Math.floor(hours / HOURS_PER_DAY)} days`
}
