/** Every endpoint of the transparency log. */
import type { Endpoint, Traffic } from '@cupel/gate/http'
import { getLogCheckpoint, type ReadLogCheckpoint } from './get-log-checkpoint.js'
import { getLogTile, type ReadLogTile } from './get-log-tile.js'
import { openToEverybody } from './public-log.js'

interface TransparencyParts {
  readonly readCheckpoint: ReadLogCheckpoint
  readonly readTile: ReadLogTile
  /** Where everybody may read checkpoint and tiles: what such reads wait for. Null where they need a key. */
  readonly publicReads: Pick<Traffic, 'quietMoment'> | null
}

export function evidenceFeature({
  transparency: { readCheckpoint, readTile, publicReads },
}: {
  readonly transparency: TransparencyParts
}): readonly Endpoint[] {
  const endpoints = [getLogCheckpoint(readCheckpoint), getLogTile(readTile)]
  return publicReads === null ? endpoints : openToEverybody(endpoints, publicReads)
}
