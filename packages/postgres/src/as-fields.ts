/**
 * A list of columns that gives rows the names of their fields: `j.job_id, livemode` becomes `j.job_id AS "jobId", livemode`. Such
 * rows need no conversion. Only plain columns, with or without the name of their table.
 */
export function asFields(columns: string): string {
  return columns
    .split(',')
    .map((column) => column.trim())
    .map((column) => {
      const name = column.slice(column.indexOf('.') + 1)
      const field = name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
      return field === name ? column : `${column} AS "${field}"`
    })
    .join(', ')
}
