/** Prints the answer of a command: a table or sentences for people, one line of JSON with --json. */
import type { CliContext } from './context.js'
import { printable } from './paint.js'

export interface JsonOption {
  readonly json?: boolean
}

export function answer(context: CliContext, options: JsonOption, json: unknown, text: () => string): void {
  context.print(options.json === true ? JSON.stringify(json) : text())
}

/** Fields as the API spells them: `keyId` → `key_id`. */
export function snakeCase(record: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  )
}

/** Columns as wide as their widest cell; the first row is the heading. */
export function table(texts: readonly (readonly string[])[]): string {
  // A cell may hold text of others: a line end in it would look like another row.
  const rows = texts.map((row) => row.map(printable))
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  )
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
