/**
 * Questions of the same moment travel together: the first one schedules a flush at the end of the current turn of the event
 * loop, and while as many statements as allowed are under way, what comes joins the next one.
 */
export interface Batcher<Q, A> {
  /** Rejects where the run failed, answered late, or too much is waiting. */
  ask(question: Q): Promise<A>
  /** Refuses new questions; resolves when what was asked is answered. */
  close(): Promise<void>
}

export interface BatcherOptions<Q, A> {
  /** Answers in the order of the questions. */
  readonly run: (questions: readonly Q[]) => Promise<readonly A[]>
  readonly maxBatch: number
  readonly maxInFlight: number
  readonly maxWaiting: number
  readonly answerTimeoutMs: number
}

export class BatcherRefusal extends Error {
  override readonly name = 'BatcherRefusal'
}

interface Waiting<Q, A> {
  readonly question: Q
  readonly askedMs: number
  readonly resolve: (answer: A) => void
  readonly reject: (error: unknown) => void
}

export function createBatcher<Q, A>(options: BatcherOptions<Q, A>): Batcher<Q, A> {
  let waiting: Waiting<Q, A>[] = []
  const running = new Set<readonly Waiting<Q, A>[]>()
  let scheduled = false
  let closing: (() => void) | null = null
  let closed = false

  const schedule = (): void => {
    if (scheduled || running.size >= options.maxInFlight) return
    scheduled = true
    setImmediate(flush)
  }
  const flush = (): void => {
    scheduled = false
    while (waiting.length > 0 && running.size < options.maxInFlight) {
      const batch = waiting.length <= options.maxBatch ? waiting : waiting.slice(0, options.maxBatch)
      waiting = batch === waiting ? [] : waiting.slice(options.maxBatch)
      void runBatch(batch)
    }
  }
  const runBatch = async (batch: readonly Waiting<Q, A>[]): Promise<void> => {
    running.add(batch)
    try {
      const answers = await options.run(batch.map(({ question }) => question))
      for (let index = 0; index < batch.length; index += 1) batch[index]!.resolve(answers[index]!)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    } finally {
      running.delete(batch)
      if (waiting.length > 0) schedule()
      else if (running.size === 0) closing?.()
    }
  }
  /** One timer, for the oldest question, watches them all: they may all wait equally long. */
  let watch: NodeJS.Timeout | null = null
  const watchOldest = (inMs: number): void => {
    watch = setTimeout(look, Math.ceil(inMs)).unref()
  }
  const look = (): void => {
    watch = null
    const late = performance.now() - options.answerTimeoutMs
    const refusal = new BatcherRefusal('No answer in time')
    let oldestMs = Infinity
    // A promise settles once: what the statement answers later changes nothing.
    for (const entry of [...running].flat()) {
      if (entry.askedMs <= late) entry.reject(refusal)
      else oldestMs = Math.min(oldestMs, entry.askedMs)
    }
    const expired = waiting.filter((entry) => entry.askedMs <= late)
    if (expired.length > 0) waiting = waiting.filter((entry) => entry.askedMs > late)
    for (const entry of expired) entry.reject(refusal)
    oldestMs = Math.min(oldestMs, waiting[0]?.askedMs ?? Infinity)
    if (oldestMs < Infinity) watchOldest(oldestMs - late)
  }

  return {
    ask(question) {
      if (closed) return Promise.reject(new BatcherRefusal('Closed'))
      if (waiting.length >= options.maxWaiting)
        return Promise.reject(new BatcherRefusal('Too many are waiting'))
      return new Promise((resolve, reject) => {
        waiting.push({ question, askedMs: performance.now(), resolve, reject })
        if (watch === null) watchOldest(options.answerTimeoutMs)
        schedule()
      })
    },
    async close() {
      closed = true
      if (waiting.length > 0 || running.size > 0) await new Promise<void>((resolve) => (closing = resolve))
      clearTimeout(watch ?? undefined)
    },
  }
}
