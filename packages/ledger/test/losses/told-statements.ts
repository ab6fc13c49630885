/** The rows in the importer's statements. */

export type Told = Readonly<Record<string, string | number | bigint | boolean | null>>

/** The rows of a statement that inserts `unnest(…) AS told (…)`, by the names of its columns. */
export function rowsOf(text: string, values: readonly unknown[]): readonly Told[] {
  const [, lists, names] = /unnest\(([^)]*)\)\s+AS told \(([^)]*)\)/.exec(text) ?? []
  if (lists === undefined || names === undefined) return []
  const columns = [...lists.matchAll(/\$(\d+)/g)].map(([, at]) => columnOf(values[Number(at) - 1]))
  return (columns[0] ?? []).map((_, row): Told =>
    Object.fromEntries(
      names.split(',').map((name, column) => [name.trim(), (columns[column]![row] ?? null) as Told[string]]),
    ),
  )
}

/** The names that the statements above have for columns of transfers. */
const NAMES: Readonly<Record<string, string>> = {
  ...{ transfer_id: 'id', from_id: 'sender', to_id: 'receiver', contract_id: 'contract' },
  ...{ block_number: 'block', occurred_at_s: 'at_s' },
}
const KINDS: Readonly<Record<string, string>> = { n: 'native', i: 'internal', t: 'token', u: 'utxo' }

/** The rows of transfers that lines of COPY hold. */
export function copiedRows(statement: string, lines: string): readonly Told[] {
  const names = /\(([^)]*)\)/
    .exec(statement)![1]!
    .split(',')
    .map((name) => name.trim())
  return lines
    .split('\n')
    .slice(0, -1)
    .map((line): Told => {
      const values = line.split(',').map((value) => (value === '' ? null : value))
      const row = Object.fromEntries(names.map((name, at) => [NAMES[name] ?? name, values[at] ?? null]))
      const execution =
        row['proven_segment_id'] !== null
          ? 'proven'
          : row['failed_segment_id'] !== null
            ? 'failed'
            : 'unknown'
      const digits = /[0-9a-f]*(?="$)/.exec(row['tx_hash']!)![0]
      return {
        ...row,
        execution,
        kind: KINDS[row['kind']!]!,
        id: row['id']!.replaceAll('-', ''),
        tx_hash: digits,
      }
    })
}

/** An array, or the text of one that `plainArray` made. */
function columnOf(value: unknown): readonly unknown[] {
  if (typeof value !== 'string') return value as readonly unknown[]
  if (value === '{}') return []
  return value
    .slice(1, -1)
    .split(',')
    .map((one) => (one === 'NULL' ? null : one === '""' ? '' : one))
}
