/** `COPY … FROM STDIN` with all of its lines at once. */
import pg from 'pg'

/** The parts of the driver's connection and query used here; the driver's version is pinned, and tests cover each use. */
interface Wire {
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
}
type Done = (error: Error | undefined, result: pg.QueryResult) => void
interface DriverQuery {
  handleCopyInResponse(wire: Wire): void
}
const Query = pg.Query as unknown as new (
  config: pg.QueryConfig,
  values: undefined,
  callback: Done,
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
