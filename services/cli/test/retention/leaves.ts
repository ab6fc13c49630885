/** The work of a projector with signing keys: leaves, checkpoint and published files. */
import { join } from 'node:path'
import { topicSpecs } from '@cupel/contracts'
import { placesOf } from '@cupel/event-log'
import {
  CHECKPOINTS_FOLDER,
  extendLog,
  publishedFolder,
  publishFiles,
  SIGNING_KEYS_FILE,
} from '@cupel/evidence/transparency'
import { readSigningKeys } from '@cupel/signing'
import { expect } from 'vitest'
import type { CommandLine } from '../command-line.js'

type Parts = Pick<CommandLine, 'log' | 'codec' | 'database' | 'folder'>

export async function giveLeaves({ log, codec, database, folder }: Parts): Promise<void> {
  const keys = readSigningKeys(join(folder, SIGNING_KEYS_FILE))
  const stores = [publishedFolder(join(folder, CHECKPOINTS_FOLDER))]
  const parts = { log, codec, database, keys, stores, places: await placesOf(log, topicSpecs) }
  // A call takes a part of a long log.
  for (let hasMore = true; hasMore;) {
    const extended = await extendLog(parts)
    hasMore = extended === 'overtaken' || extended.hasMore
  }
  expect(await publishFiles(database, { stores, keys, log: await log.identity() })).toBe(true)
}
