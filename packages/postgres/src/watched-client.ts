/**
 * Detects a server that is silent: its machine or the network is gone, and no side resets the connections. Otherwise a statement waits
 * until the system gives up the connection, after a quarter of an hour or more, and the pool with such connections serves no requests.
 */
import type pg from 'pg'

/** The server ends a statement at its limit. An answer that is missing for this time after the limit never arrives. */
const ANSWER_GRACE_MS = 2_000
/** A caller that gives a connection up after this long without an answer has found its server silent. */
const GIVEN_UP_MS = 1_000
/** A connection sends its farewell, and is dropped if the server does not close it within this time. */
const END_MS = 1_000
/** The system probes a connection that is idle for this time, once a second; ten probes without an answer end it. */
export const KEEP_ALIVE_MS = 5_000

export class SilentServerError extends Error {
  override readonly name = 'SilentServerError'
  /** The same code as the system's own error, which would come much later. */
  readonly code = 'ETIMEDOUT'
  constructor(ms: number) {
    super(`The database did not answer within ${Math.round(ms / 1_000)} s`)
  }
}

type ClientClass = typeof pg.Client
type Stream = { readonly readable: boolean; destroy(error?: Error): void }

/**
 * A client class for one pool, whose statements the server limits to `statementTimeoutMs`. With 0 nothing is detected. If one connection
 * is silent, or its caller gives it up without an answer, the others that have received nothing since it asked are dropped too, so that
 * there is one wait for all of them.
 */
export function watchedClient(
  Base: ClientClass,
  { statementTimeoutMs }: { readonly statementTimeoutMs: number },
): ClientClass {
  const limitMs = statementTimeoutMs + ANSWER_GRACE_MS
  const open = new Set<WatchedClient>()

  class WatchedClient extends Base {
    #askedAt = 0
    #heardAt = performance.now()
    #isAsked = false
    readonly #timer: NodeJS.Timeout | null =
      statementTimeoutMs === 0 ? null : setTimeout(() => this.#look(), limitMs)

    constructor(config?: string | pg.ClientConfig) {
      super(config)
      open.add(this)
      this.#timer?.unref()
      // All requests are answered.
      this.on('drain', () => {
        this.#isAsked = false
        this.#heardAt = performance.now()
      })
      this.once('end', () => {
        open.delete(this)
        if (this.#timer !== null) clearTimeout(this.#timer)
      })
    }

    // The driver's method has many forms, and all of them are passed on.
    override query = ((...args: Parameters<ClientClass['prototype']['query']>): unknown => {
      this.#isAsked = true
      this.#askedAt = performance.now()
      this.#timer?.refresh()
      return super.query(...args)
    }) as ClientClass['prototype']['query']

    override end(callback?: (error: Error) => void): Promise<void> {
      const owesFor = performance.now() - this.#askedAt
      const isOwing = this.#isAsked && streamOf(this).readable
      if (this.#timer !== null && isOwing && owesFor >= GIVEN_UP_MS) this.#dropOthers(this.#askedAt)
      const giveUp = setTimeout(() => streamOf(this).destroy(), END_MS).unref()
      this.once('end', () => clearTimeout(giveUp))
      return callback === undefined ? super.end() : (super.end(callback) as unknown as Promise<void>)
    }

    #look(): void {
      if (!this.#isAsked) return
      const askedAt = this.#askedAt
      // After a pause of the process, timers fire before the answers that have arrived are read.
      setImmediate(() => {
        if (!this.#isAsked || this.#askedAt !== askedAt) return
        this.#drop(askedAt)
        this.#dropOthers(askedAt)
      })
    }

    /** Those that have received nothing since then. */
    #dropOthers(silentSince: number): void {
      for (const each of open) if (each !== this && each.#heardAt < silentSince) each.#drop(silentSince)
    }

    /** Rejects the pending statements; the pool opens another connection. */
    #drop(silentSince: number): void {
      streamOf(this).destroy(new SilentServerError(performance.now() - silentSince))
    }
  }
  return WatchedClient
}

function streamOf(client: pg.Client): Stream {
  return (client as unknown as { readonly connection: { readonly stream: Stream } }).connection.stream
}
