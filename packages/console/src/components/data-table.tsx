/** A table of texts. */
import type { Table } from '@cupel/reports/document'
import { Amount } from './amount.js'
import { ScrollTable } from './scroll-table.js'

interface DataTableProps {
  readonly table: Table
  /** Says what the table shows, for people who do not see it. */
  readonly caption: string
}

export function DataTable({ table: { head, rows, amountColumns = [] }, caption }: DataTableProps) {
  return (
    <ScrollTable caption={caption} head={head}>
      {rows.map((row, index) => (
        <tr key={index}>
          {isNote(row) ? (
            <td colspan={head.length} dir="auto">
              {row[0]}
            </td>
          ) : (
            row.map((text, place) => (
              <td key={place} dir="auto">
                {amountColumns.includes(place) ? <Amount full={text} /> : text}
              </td>
            ))
          )}
        </tr>
      ))}
    </ScrollTable>
  )
}

/** A row with only a first text speaks of the whole table, for example that it is empty. */
const isNote = (row: readonly string[]): boolean => row.slice(1).every((text) => text === '')
