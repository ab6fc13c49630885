/** Hash trees of RFC 6962, section 2.1, with SHA-256. */

export type Bytes = Uint8Array<ArrayBuffer>

const LEAF = 0
const NODE = 1

export async function sha256(bytes: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
}

export const leafHash = (entry: Bytes): Promise<Bytes> => sha256(joined(Uint8Array.of(LEAF), entry))

const nodeHash = (left: Bytes, right: Bytes): Promise<Bytes> =>
  sha256(joined(Uint8Array.of(NODE), left, right))

/** The root that the path leads to (RFC 9162, section 2.1.3.2); null if no tree of this size has such a path. */
export async function rootOfPath(
  leaf: Bytes,
  { index, size, path }: { readonly index: number; readonly size: number; readonly path: readonly Bytes[] },
): Promise<Bytes | null> {
  if (index >= size) return null
  let [at, last, node] = [index, size - 1, leaf]
  for (const sibling of path) {
    if (last === 0) return null
    if (at % 2 === 1 || at === last) {
      node = await nodeHash(sibling, node)
      while (at % 2 === 0 && at !== 0) [at, last] = [Math.floor(at / 2), Math.floor(last / 2)]
    } else node = await nodeHash(node, sibling)
    ;[at, last] = [Math.floor(at / 2), Math.floor(last / 2)]
  }
  return last === 0 ? node : null
}

export function joined(...parts: readonly Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

export const hex = (bytes: Bytes): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
