/** The body is larger than the limit of its reader. */
export class TooLargeError extends Error {}

/** Reads at most `mostBytes`; throws a TooLargeError if there are more, and does not read the rest. */
export async function readBody(response: Response, mostBytes: number): Promise<Uint8Array> {
  const reader = response.body?.getReader()
  if (reader === undefined) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return joined(chunks, bytes)
    bytes += value.byteLength
    chunks.push(value)
    if (bytes <= mostBytes) continue
    // The rest is not needed, so an error in it is ignored.
    reader.cancel().catch(() => undefined)
    throw new TooLargeError()
  }
}

function joined(chunks: readonly Uint8Array[], bytes: number): Uint8Array {
  const whole = new Uint8Array(bytes)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.byteLength
  }
  return whole
}
