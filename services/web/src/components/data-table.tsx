/** A table of texts that scrolls by itself where it is wider than the page. */
import type { Table } from '@cupel/report-document'

interface DataTableProps {
  readonly table: Table
  /** Says what the table shows, for people who do not see it. */
  readonly caption: string
}

export function DataTable({ table: { head, rows }, caption }: DataTableProps) {
  return (
    <div class="table-scroll" role="region" aria-label={caption} tabindex={0}>
      <table>
        <thead>
          <tr>
            {head.map((text, index) =>
              text === '' ? (
                <td key={index} />
              ) : (
                <th key={index} scope="col">
                  {text}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {isNote(row) ? (
                <td colspan={head.length} dir="auto">
                  {row[0]}
                </td>
              ) : (
                row.map((text, place) => (
                  <td key={place} dir="auto">
                    {text}
                  </td>
                ))
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** A row with only a first text speaks of the whole table, for example that it is empty. */
const isNote = (row: readonly string[]): boolean => row.slice(1).every((text) => text === '')
