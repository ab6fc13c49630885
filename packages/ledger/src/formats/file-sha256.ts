import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'

/** SHA-256 of a file, lowercase hex. A further `hash` is updated with every byte. */
export async function fileSha256(path: string, further: Hash | null = null): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 })) {
    hash.update(chunk as Buffer)
    further?.update(chunk as Buffer)
  }
  return hash.digest('hex')
}
