/** A time to the minute, or a day where it is the first moment of one, written in one way and readable by machines. */
import { dateText } from '@cupel/report-document'

interface MomentProps {
  /** RFC 3339, UTC, or a date; null where it is not known. */
  readonly at: string | null
  readonly otherwise?: string
  /** Where the minute does not tell enough. */
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
