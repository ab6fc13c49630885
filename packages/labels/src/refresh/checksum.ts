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

/** Why the file is not the one of which the document at `place` states a checksum, as a sentence; null if it is. */
export async function checksumFault(
  place: Place,
  file: string,
  options: FetchOptions,
): Promise<string | null> {
  const stated = await fetchList(place, {
    ...options,
    ...{ fileName: 'checksum', maxBytes: MAX_DOCUMENT_BYTES, validators: noValidators, notBefore: undefined },
  })
  if (stated.kind !== 'fetched')
    return stated.kind === 'failed' ? `The checksum is missing: ${stated.detail}` : 'The checksum is missing.'
  const digests = new Set((await readFile(stated.file, 'utf8')).toLowerCase().match(DIGESTS))
  if ((await digestsOf(file)).some((digest) => digests.has(digest))) return null
  return 'The publisher states no SHA-256, SHA-512 or SHA-1 of this file.'
}

async function digestsOf(file: string): Promise<readonly string[]> {
  const hashes = ALGORITHMS.map((algorithm) => createHash(algorithm))
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>)
    for (const hash of hashes) hash.update(chunk)
  return hashes.map((hash) => hash.digest('hex'))
}
