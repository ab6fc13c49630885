/** Trees and paths computed from all entries, as RFC 6962 defines them. They share no code with the product. */
import { createHash } from 'node:crypto'

const sha256 = (...parts: readonly Uint8Array[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest()

/** MTH of entries, as section 2.1 of RFC 6962 defines it. Shares no code with the product. */
export function naiveRoot(entries: readonly Uint8Array[]): Buffer {
  if (entries.length === 0) return sha256()
  if (entries.length === 1) return sha256(Buffer.of(0), entries[0]!)
  let split = 1
  while (split * 2 < entries.length) split *= 2
  return sha256(Buffer.of(1), naiveRoot(entries.slice(0, split)), naiveRoot(entries.slice(split)))
}

/** PATH(m, D[n]) of section 2.1.1. */
export function naivePath(entries: readonly Uint8Array[], index: number): Buffer[] {
  if (entries.length === 1) return []
  let split = 1
  while (split * 2 < entries.length) split *= 2
  const [left, right] = [entries.slice(0, split), entries.slice(split)]
  return index < split
    ? [...naivePath(left, index), naiveRoot(right)]
    : [...naivePath(right, index - split), naiveRoot(left)]
}
