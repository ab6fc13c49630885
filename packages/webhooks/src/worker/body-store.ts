/** Bodies in memory, up to a budget: each is read once and shared by the endpoints of its job while they are sent. */
import { Buffer } from 'node:buffer'

export interface BodyStore {
  /** Resolves to the body, which stays in memory until `release`. Waits for room. Rejects if the body cannot be read. */
  hold(bodyId: string, bytes: number): Promise<Buffer>
  release(bodyId: string): void
}

interface Held {
  readonly body: Promise<Buffer>
  readonly bytes: number
  users: number
}

export function createBodyStore(options: {
  readonly load: (bodyId: string) => Promise<string | null>
  readonly budgetBytes: number
}): BodyStore {
  /** In the order of their last use: bodies without users are dropped from the front when room is needed. */
  const bodies = new Map<string, Held>()
  let bytesInUse = 0
  let waiting: (() => void)[] = []

  return {
    async hold(bodyId, bytes) {
      for (;;) {
        const found = bodies.get(bodyId)
        if (found !== undefined) {
          bodies.delete(bodyId)
          bodies.set(bodyId, found)
          found.users += 1
          return await found.body.catch((error: unknown) => {
            letGo(bodyId)
            throw error
          })
        }
        if (makeRoom(bytes)) {
          bodies.set(bodyId, { body: load(bodyId), bytes, users: 0 })
          bytesInUse += bytes
          continue
        }
        await new Promise<void>((resolve) => waiting.push(resolve))
      }
    },
    release: letGo,
  }

  async function load(bodyId: string): Promise<Buffer> {
    try {
      const text = await options.load(bodyId)
      if (text === null) throw new Error(`Body ${bodyId} is gone`)
      return Buffer.from(text)
    } catch (error) {
      // The next caller reads it again.
      drop(bodyId)
      throw error
    }
  }

  function letGo(bodyId: string): void {
    const found = bodies.get(bodyId)
    if (found !== undefined) found.users -= 1
    const woken = waiting
    waiting = []
    for (const wake of woken) wake()
  }

  /** A single body always fits, however large it is. */
  function makeRoom(bytes: number): boolean {
    for (const [bodyId, { users }] of bodies) {
      if (bytesInUse + bytes <= options.budgetBytes) break
      if (users === 0) drop(bodyId)
    }
    return bytesInUse + bytes <= options.budgetBytes || bodies.size === 0
  }

  function drop(bodyId: string): void {
    const found = bodies.get(bodyId)
    if (found === undefined) return
    bodies.delete(bodyId)
    bytesInUse -= found.bytes
  }
}
