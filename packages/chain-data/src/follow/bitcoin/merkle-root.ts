/** The root of a block's transactions, which its header commits to. */
import { createHash } from 'node:crypto'

const twice = (bytes: Buffer): Buffer =>
  createHash('sha256').update(createHash('sha256').update(bytes).digest()).digest()

/** Ids and root as nodes write them, with the bytes in reverse. */
export function merkleRoot(ids: readonly string[]): string {
  let level: Buffer[] = ids.map((id) => Buffer.from(id, 'hex').reverse())
  while (level.length > 1) {
    const next: Buffer[] = []
    for (let index = 0; index < level.length; index += 2)
      next.push(twice(Buffer.concat([level[index]!, level[index + 1] ?? level[index]!])))
    level = next
  }
  return level.length === 0 ? '' : Buffer.from(level[0]!).reverse().toString('hex')
}
