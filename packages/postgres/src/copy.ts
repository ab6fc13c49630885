/** `COPY … FROM STDIN` with all of its lines at once, and `COPY … TO STDOUT` in the binary format. */
import pg from 'pg'

/** The parts of the driver's connection and query used here; the driver's version is pinned, and tests cover each use. */
interface Wire {
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
}
type Done = (error: Error | undefined, result: pg.QueryResult) => void
interface DriverQuery {
  handleCopyInResponse(wire: Wire): void
  handleCopyData(message: { readonly chunk: Buffer }): void
}
const Query = pg.Query as unknown as new (
  config: pg.QueryConfig,
  values: undefined,
  callback?: Done,
) => DriverQuery

class CopyQuery extends Query {
  readonly #lines: Buffer

  constructor(text: string, lines: string | Buffer, done: Done) {
    super({ text }, undefined, done)
    this.#lines = typeof lines === 'string' ? Buffer.from(lines, 'utf8') : lines
  }

  override handleCopyInResponse(wire: Wire): void {
    wire.sendCopyFromChunk(this.#lines)
    wire.endCopyFrom()
  }
}

/** Resolves to the number of rows. Bytes must stay as they are until then. */
export function copyLines(client: pg.ClientBase, text: string, lines: string | Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const query = new CopyQuery(text, lines, (error, result) => {
      if (error) reject(error)
      else resolve(result.rowCount ?? 0)
    })
    client.query(query as unknown as pg.Submittable)
  })
}

/** One row in the text format of COPY, with its line break. */
export const copyLine = (values: readonly unknown[]): string => `${values.map(fieldText).join('\t')}\n`

const fieldText = (value: unknown): string =>
  value === null || value === undefined
    ? String.raw`\N`
    : typeof value === 'string'
      ? ESCAPED.test(value)
        ? value.replace(EACH_ESCAPED, (character) => ESCAPES[character]!)
        : value
      : String(value as number | boolean)

const ESCAPED = /[\\\n\r\t]/
const EACH_ESCAPED = /[\\\n\r\t]/g
const ESCAPES: Readonly<Record<string, string>> = {
  '\\': String.raw`\\`,
  '\n': String.raw`\n`,
  '\r': String.raw`\r`,
  '\t': String.raw`\t`,
}

/** The fields of one row; null for a NULL. */
export type BinaryRow = readonly (Buffer | null)[]

const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1')
/** Signature, flags and length of an extension, at the beginning of the binary format. */
const HEADER_BYTES = 19
/** In place of the number of fields, at its end. */
const TRAILER = -1

class CopyOutQuery extends Query {
  readonly rows: BinaryRow[] = []
  failure: Error | null = null
  #isBegun = false

  /** The driver calls this from an event of its socket: an error that it throws would end the process. */
  override handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    try {
      // The driver reads the next answer into the same memory.
      this.#add(Buffer.from(chunk))
    } catch (cause) {
      this.failure ??= new Error('The answer to COPY does not have the binary format', { cause })
    }
  }

  #add(bytes: Buffer): void {
    if (!this.#isBegun && !bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE))
      throw new RangeError('It begins without the signature')
    let at = this.#isBegun ? 0 : HEADER_BYTES
    this.#isBegun = true
    while (at < bytes.length) {
      const count = bytes.readInt16BE(at)
      at += 2
      if (count === TRAILER) return
      const fields: (Buffer | null)[] = []
      for (let field = 0; field < count; field += 1) {
        const length = bytes.readInt32BE(at)
        at += 4
        fields.push(length < 0 ? null : bytes.subarray(at, (at += length)))
      }
      if (at > bytes.length) throw new RangeError('A field is longer than its frame')
      this.rows.push(fields)
    }
  }
}

/** The pool accepts a query object of another class, and calls back itself. */
export function copyOut(pool: pg.Pool, text: string): Promise<readonly BinaryRow[]> {
  const query = new CopyOutQuery({ text }, undefined)
  return new Promise((resolve, reject) => {
    pool.query(query as unknown as string, [], (error: Error | undefined) => {
      const failure = error ?? query.failure
      if (failure) reject(failure)
      else resolve(query.rows)
    })
  })
}
