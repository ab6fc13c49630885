/**
 * Notices a server that is silent: its machine is gone, or the way to it, and nobody resets the connections. Without it a statement waits
 * until the system gives the connection up, after a quarter of an hour or more, and a pool of such connections serves nothing meanwhile.
 */
import type pg from 'pg'

/** The server ends a statement at its limit; an answer that is missing so long after that never comes. */
const ANSWER_GRACE_MS = 2_000
/** A connection says good-bye, and is dropped where the server does not hang up within this time. */
const END_MS = 1_000
/** Connections on which nothing is asked are probed by the system from then on, once a second; ten probes without an answer end them. */
export const KEEP_ALIVE_MS = 5_000

export class SilentServerError extends Error {
  override readonly name = 'SilentServerError'
  /** As the system's own, which would come much later. */
  readonly code = 'ETIMEDOUT'
  constructor(ms: number) {
    super(`The database did not answer within ${ms / 1_000} s`)
  }
}

type ClientClass = typeof pg.Client
type Stream = { destroy(error?: Error): void }

/**
 * A client class for one pool, whose statements the server limits to `statementTimeoutMs`; 0: without a limit nothing is noticed. Where
 * one connection is silent, the idle ones that have heard nothing since are dropped too: one wait for all of them.
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
      // All that was asked is answered.
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
      const giveUp = setTimeout(() => this.#stream().destroy(), END_MS).unref()
      this.once('end', () => clearTimeout(giveUp))
      return callback === undefined ? super.end() : (super.end(callback) as unknown as Promise<void>)
    }

    #look(): void {
      if (!this.#isAsked) return
      const askedAt = this.#askedAt
      // A process that stood still finds its timers due before it reads the answers that are there.
      setImmediate(() => {
        if (!this.#isAsked || this.#askedAt !== askedAt) return
        for (const each of open)
          if (each === this || (!each.#isAsked && each.#heardAt < askedAt)) each.#drop()
      })
    }

    /** Rejects what is under way; the pool makes another connection. */
    #drop(): void {
      this.#stream().destroy(new SilentServerError(limitMs))
    }

    #stream(): Stream {
      return (this as unknown as { readonly connection: { readonly stream: Stream } }).connection.stream
    }
  }
  return WatchedClient
}
