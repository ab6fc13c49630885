/** Compares a downloaded list with the checksum that its publisher states in another document. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fetchList, noValidators, type FetchOptions } from './fetch-list.js'
import type { Place } from './refresh-plan.js'

/** Bytes of the document. An index of all files of a publisher is smaller. */
const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024
const ALGORITHMS = ['sha256', 'sha512', 'sha1'] as const
/** Hexadecimal digits that belong together, from SHA-1 to SHA-512. */
const DIGESTS = /(?<![0-9a-f])(?:[0-9a-f]{128}|[0-9a-f]{64}|[0-9a-f]{40})(?![0-9a-f])/g

export type Stated =
  | { readonly digests: ReadonlySet<string> }
  /** One sentence. */
  | { readonly fault: string }

/** The digests that the document at `place` states, in lowercase hexadecimal digits. */
export async function statedDigests(place: Place, options: FetchOptions): Promise<Stated> {
  const stated = await fetchList(place, {
    ...options,
    ...{ fileName: 'checksum', maxBytes: MAX_DOCUMENT_BYTES, validators: noValidators, notBefore: undefined },
  })
  if (stated.kind === 'fetched')
    return { digests: new Set((await readFile(stated.file, 'utf8')).toLowerCase().match(DIGESTS)) }
  return {
    fault:
      stated.kind === 'failed' ? `The checksum is missing: ${stated.detail}` : 'The checksum is missing.',
  }
}

/** The digest of the file that the document at `place` states, or why there is none, as a sentence. */
export async function checkedDigest(
  place: Place,
  file: string,
  options: FetchOptions,
): Promise<{ readonly digest: string } | { readonly fault: string }> {
  const stated = await statedDigests(place, options)
  if ('fault' in stated) return stated
  const digest = (await digestsOf(file)).find((one) => stated.digests.has(one))
  return digest === undefined
    ? { fault: 'The publisher states no SHA-256, SHA-512 or SHA-1 of this file.' }
    : { digest }
}

async function digestsOf(file: string): Promise<readonly string[]> {
  const hashes = ALGORITHMS.map((algorithm) => createHash(algorithm))
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>)
    for (const hash of hashes) hash.update(chunk)
  return hashes.map((hash) => hash.digest('hex'))
}
