/**
 * A list of columns that names each column as its field: `j.job_id, livemode` becomes `j.job_id AS "jobId", livemode`. These
 * rows need no conversion. Only plain columns are allowed, with or without the name of their table.
 */
export function asFields(columns: string): string {
  return columns
    .split(',')
    .map((column) => column.trim())
    .map((column) => (column.includes('_') ? `${column} AS "${fieldOf(column)}"` : column))
    .join(', ')
}

/** The same for columns of type timestamptz: the fields are UTC, RFC 3339 with milliseconds, or null. */
export function asTimes(columns: string): string {
  return columns
    .split(',')
    .map((column) => column.trim())
    .map((column) => `${timeText(column)} AS "${fieldOf(column)}"`)
    .join(', ')
}

/** A time as text: UTC, RFC 3339 with milliseconds. */
export function timeText(expression: string): string {
  return `to_char(${expression} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}

function fieldOf(column: string): string {
  const name = column.slice(column.indexOf('.') + 1)
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}
