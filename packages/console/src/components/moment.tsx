/** A time to the minute, or a day where the time is its first moment, always written in the same way and readable by machines. */
import { dateText } from '@cupel/reports/document'

interface MomentProps {
  /** RFC 3339, UTC, or a date; null where it is not known. */
  readonly at: string | null
  readonly otherwise?: string
  /** Shows the time more exactly than to the minute. */
  readonly withSeconds?: boolean
}

export function Moment({ at, otherwise = '–', withSeconds = false }: MomentProps) {
  if (at === null || at === '') return <>{otherwise}</>
  const text = dateText(at)
  return (
    <time datetime={at} class="moment">
      {withSeconds ? text : text.replace(/ 00:00:00 UTC$/, '').replace(/:\d\d UTC$/, ' UTC')}
    </time>
  )
}
