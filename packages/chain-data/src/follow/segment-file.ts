/** Writes consecutive blocks of a node to a file in a layout of the ledger. */
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { failpoint } from '@cupel/kit/failpoints'
import type { ChainNode, NodeBlock } from './chain-node.js'
import { FollowError } from './follow-error.js'
import { windowed } from './windowed.js'

export interface SegmentFile {
  readonly path: string
  readonly from: number
  readonly to: number
  readonly lastHash: string
  /** Time of the last block, in seconds since 1970. */
  readonly lastAtS: number
}

export interface SegmentFileOptions {
  readonly folder: string
  readonly from: number
  readonly to: number
  /** Hash of the block before the first one; null if it is not known. */
  readonly parentHash: string | null
  /** Blocks of one message to the node. */
  readonly batchBlocks: number
  /** Messages at once. */
  readonly inFlight: number
  readonly onBlocks?: (count: number) => void
}

/**
 * The same blocks give the same bytes. The name of the file has the range and the hash of the last block. Rejects with a
 * FollowError.
 */
export async function writeSegmentFile(
  node: ChainNode,
  { folder, from, to, parentHash, batchBlocks, inFlight, onBlocks }: SegmentFileOptions,
): Promise<SegmentFile> {
  const partial = join(folder, `${partialPrefix(node.chain)}${process.pid}`)
  const file = await open(partial, 'w')
  let last: NodeBlock | null = null
  try {
    if (node.heading !== null) await file.writeFile(`${node.heading}\n`)
    for await (const blocks of windowed(batches(from, to, batchBlocks), inFlight, (batch) =>
      node.blocks(batch.from, batch.to),
    )) {
      for (const block of blocks) {
        checkParent(block, last?.hash ?? parentHash)
        last = block
      }
      // Not `write`, which may write a part: it goes on where the last one ended.
      await file.writeFile(blocks.map(({ text }) => text).join(''))
      onBlocks?.(blocks.length)
    }
    await file.sync()
  } finally {
    await file.close()
  }
  const path = join(folder, `follow-${node.chain}-${from}-${to}-${last!.hash}.${node.extension}`)
  failpoint('before', 'follow.file')
  await rename(partial, path)
  failpoint('after', 'follow.file')
  return { path, from, to, lastHash: last!.hash, lastAtS: last!.atS }
}

function* batches(
  from: number,
  to: number,
  size: number,
): Generator<{ readonly from: number; readonly to: number }> {
  for (let first = from; first <= to; first += size) yield { from: first, to: Math.min(to, first + size - 1) }
}

function checkParent(block: NodeBlock, parent: string | null): void {
  if (parent === null || block.parentHash === parent) return
  throw new FollowError(
    'node_contradicts',
    `block ${block.height} of the node follows ${block.parentHash}, and block ${block.height - 1} is ${parent}`,
  )
}

const partialPrefix = (chain: string): string => `.${chain}.partial-`

/** Makes the folder, and removes what a killed follower left there. */
export async function prepareFolder(folder: string, chain: string, keepsFiles: boolean): Promise<void> {
  await mkdir(folder, { recursive: true })
  const left = (name: string): boolean =>
    name.startsWith(partialPrefix(chain)) || (!keepsFiles && name.startsWith(`follow-${chain}-`))
  for (const name of await readdir(folder)) if (left(name)) await rm(join(folder, name), { force: true })
}
