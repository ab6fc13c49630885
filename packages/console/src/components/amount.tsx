/** An amount as it is read at a glance; the whole of it appears under the pointer, and is what a screen reader says. */
import { glanceOfFull } from '@cupel/reports/document'

/** `full`: with all digits and its asset. Other text is shown unchanged. */
export function Amount({ full }: { readonly full: string }) {
  const glance = glanceOfFull(full)
  if (glance === full) return <>{full}</>
  return (
    <span class="amount" title={full}>
      <span aria-hidden="true">{glance}</span>
      <span class="visually-hidden">{full}</span>
    </span>
  )
}
