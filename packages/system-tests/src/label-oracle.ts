/** The rows of a label file, read without code of the product. */
import { readFileSync } from 'node:fs'

export interface LabelRow {
  readonly address: string
  readonly chain: string
  readonly category: string
  readonly entity: string
  readonly sourceUrl: string
  readonly confidence: number
}

/** Reads the layout `address,chain,category,entity,source,source_url,confidence,observed_at` (RFC 4180 quoting). */
export function readLabelRows(file: string): LabelRow[] {
  const [header, ...lines] = splitRecords(readFileSync(file, 'utf8'))
  if (header?.join(',') !== 'address,chain,category,entity,source,source_url,confidence,observed_at')
    throw new Error(`unexpected header in ${file}`)
  return lines.map((fields) => ({
    address: fields[0]!,
    chain: fields[1]!,
    category: fields[2]!,
    entity: fields[3]!,
    sourceUrl: fields[5]!,
    confidence: Number(fields[6]),
  }))
}

function splitRecords(text: string): string[][] {
  const records: string[][] = []
  let record: string[] = []
  let field = ''
  let quoted = false
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!
    if (quoted) {
      if (char !== '"') field += char
      else if (text[i + 1] === '"') field += text[++i]!
      else quoted = false
    } else if (char === '"') quoted = true
    else if (char === ',') {
      record.push(field)
      field = ''
    } else if (char === '\n') {
      records.push([...record, field])
      record = []
      field = ''
    } else field += char
  }
  return records
}
