/** A table that scrolls by itself if it is wider than the page. */
import type { ComponentChildren } from 'preact'

interface ScrollTableProps {
  /** Says what the table shows, for people who do not see it. */
  readonly caption: string
  readonly class?: string
  /** Texts above the columns; null for a column that this table lacks. */
  readonly head: readonly (string | { readonly number: string } | null)[]
  /** The rows. */
  readonly children: ComponentChildren
}

export function ScrollTable({ caption, class: classes, head, children }: ScrollTableProps) {
  return (
    <div class="table-scroll" role="group" aria-label={caption} tabindex={0}>
      <table class={classes}>
        <thead>
          <tr>
            {head.map((column, index) =>
              column === null ? null : column === '' ? (
                <td key={index} />
              ) : typeof column === 'string' ? (
                <th key={index} scope="col">
                  {column}
                </th>
              ) : (
                <th key={index} scope="col" class="number">
                  {column.number}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}
