/**
 * One statement with its own role and settings, in one round trip. A statement that sets them is sent before it, under the
 * same Sync, so that both are one implicit transaction and the settings end with it.
 */
import pg from 'pg'

/** The role of a statement, and the settings that the row policies of that role read. */
export interface StatementScope {
  readonly role: string
  /** Values of custom settings (`cupel.…`) by their names. */
  readonly settings: Readonly<Record<string, string>>
}

/** The parts of the driver's connection and query used here; the driver's version is pinned, and tests cover each use. */
interface Wire {
  readonly parsedStatements: Record<string, string | undefined>
  readonly submittedNamedStatements: Record<string, string | undefined>
  parse(message: { name: string; text: string }): void
  bind(message: { portal: string; statement: string; values: readonly string[] }): void
  execute(message: { portal: string; rows: number }): void
}
interface DriverQuery {
  name: string | undefined
  text: string
  prepare(wire: Wire): void
  handleDataRow(message: unknown): void
  handleCommandComplete(message: unknown, wire: Wire): void
  handleError(error: Error, wire: Wire): void
}
const Query = pg.Query as unknown as new (config: pg.QueryConfig, values: undefined) => DriverQuery

/** Sets role and settings until the implicit transaction ends. */
function scopeStatement({ role, settings }: StatementScope): {
  name: string
  text: string
  values: string[]
} {
  const names = Object.keys(settings)
  const parts = names.map((name, index) => `set_config('${name}', $${index + 2}, true)`)
  return {
    name: `scope.${names.join('.')}`,
    text: `SELECT set_config('role', $1, true)${parts.map((part) => `, ${part}`).join('')}`,
    values: [role, ...Object.values(settings)],
  }
}

const SETTING_NAME = /^cupel\.[a-z_]+$/

/**
 * The driver records a statement as prepared when the server reports a parse, under the name of the query in progress. Therefore
 * this query has the name of the scope's statement while the server answers that statement.
 */
export class ScopedQuery extends Query {
  readonly #scope: { readonly name: string; readonly text: string; readonly values: readonly string[] }
  readonly #own: { readonly name: string | undefined; readonly text: string }
  #isScoping = false

  constructor(config: pg.QueryConfig, scope: StatementScope) {
    if (!Object.keys(scope.settings).every((name) => SETTING_NAME.test(name)))
      throw new Error('The settings of a scope are named cupel.…')
    // Only prepared statements are sent as separate messages.
    super({ ...config, queryMode: 'extended' } as pg.QueryConfig, undefined)
    this.#scope = scopeStatement(scope)
    this.#own = { name: this.name, text: this.text }
  }

  override prepare(wire: Wire): void {
    const { name, text, values } = this.#scope
    if (wire.parsedStatements[name] === undefined) wire.parse({ name, text })
    wire.bind({ portal: '', statement: name, values })
    wire.execute({ portal: '', rows: 0 })
    super.prepare(wire)
    this.#goBy(this.#scope)
    this.#isScoping = true
  }

  override handleDataRow(message: unknown): void {
    if (!this.#isScoping) super.handleDataRow(message)
  }

  override handleCommandComplete(message: unknown, wire: Wire): void {
    if (!this.#isScoping) {
      super.handleCommandComplete(message, wire)
      return
    }
    this.#isScoping = false
    this.#goBy(this.#own)
  }

  override handleError(error: Error, wire: Wire): void {
    // After a failed scope, the server has skipped everything up to the Sync: no part of the statement was parsed.
    const { name } = this.#own
    if (this.#isScoping && name !== undefined) delete wire.submittedNamedStatements[name]
    super.handleError(error, wire)
  }

  #goBy({ name, text }: { name: string | undefined; text: string }): void {
    this.name = name
    this.text = text
  }
}
