/** RFC 4180 rows of a UTF-8 stream with the line each begins on. Every fault of the file is a refusal of the whole set. */
import { CsvError, parse as parseCsv } from 'csv-parse'
import { SetRefusedError, type ByteStream } from './label-source.js'
import { decodeUtf8 } from './utf8.js'

export interface CsvRow {
  readonly fields: readonly string[]
  /** From 1. */
  readonly line: number
}

/** A row beyond this is a missing closing quote rather than a row. */
const MAX_ROW_CHARACTERS = 65_536

/**
 * Yields rows as they come; blank lines are left out. Resolves `ending` to whether the file ends with a line break.
 * The parser is written to chunk by chunk instead of piped into: a pipe would swallow the error of its source.
 */
export async function* readCsvRows(
  input: ByteStream,
  { trim = false }: { readonly trim?: boolean } = {},
  ending: { lineBreak: boolean } = { lineBreak: false },
): AsyncGenerator<CsvRow> {
  const parser = parseCsv({
    relax_column_count: true,
    record_delimiter: ['\r\n', '\n'],
    max_record_size: MAX_ROW_CHARACTERS,
    trim,
  })
  let parsed: string[][] = []
  parser.on('data', (fields: string[]) => parsed.push(fields))
  const ended = new Promise<void>((resolve, reject) => parser.once('end', resolve).once('error', reject))
  // It is awaited below; an error that is noticed before then must not count as unhandled.
  ended.catch(() => undefined)

  let line = 1
  function* take(): Generator<CsvRow> {
    const rows = parsed
    parsed = []
    for (const fields of rows) {
      const isBlank = fields.length === 1 && fields[0] === ''
      if (!isBlank) yield { fields, line }
      line += 1 + lineBreaksWithin(fields)
    }
  }

  try {
    for await (const text of decodeUtf8(input)) {
      ending.lineBreak = text.endsWith('\n')
      await new Promise<void>((resolve, reject) => {
        parser.write(text, (error) => (error ? reject(error) : resolve()))
      })
      yield* take()
    }
    parser.end()
    await ended
    yield* take()
  } catch (error) {
    throw asSetRefusal(error)
  } finally {
    parser.destroy()
  }
}

const lineBreaksWithin = (fields: readonly string[]): number =>
  fields.reduce((count, field) => (field.includes('\n') ? count + field.split('\n').length - 1 : count), 0)

function asSetRefusal(error: unknown): unknown {
  if (!(error instanceof CsvError)) return error
  const line = typeof error['lines'] === 'number' ? error['lines'] : null
  const isCut = error.code === 'CSV_QUOTE_NOT_CLOSED'
  const reason = isCut
    ? 'a quoted field is never closed: the file is cut off'
    : `not RFC 4180: ${error.message}`
  return new SetRefusedError(isCut ? 'truncated' : 'malformed', line, reason, { cause: error })
}
