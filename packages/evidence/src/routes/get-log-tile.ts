/** GET /v1/log/tile/…: hashes and entries of the transparency log, in the tiles of C2SP. */
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { parseTilePath, type TileName } from '../transparency/index.js'
import { z } from 'zod'
import { keyedEndpoint, type Endpoint, refuse, takesGzip } from '@cupel/gate/http'

/** Null if the last checkpoint has no such tile. */
export type ReadLogTile = (name: TileName) => Promise<Uint8Array | null>

/** A level, six groups of four characters with slashes between, and a width. */
const MAX_TILE_PATH_CHARACTERS = 48

const tilePathSchema = z.strictObject({
  tile: z
    .string()
    .max(MAX_TILE_PATH_CHARACTERS)
    .regex(/^(?:entries|0|[1-9][0-9]?)\/(?:x[0-9]{3}\/){0,5}[0-9]{3}(?:\.p\/[1-9][0-9]{0,2})?$/)
    .describe(
      'Level, or `entries`; index in groups of three digits; and of a partial tile its width: `0/000`, `1/000.p/3`, `entries/x001/234.p/8`. Slashes are part of it.',
    )
    .meta({ examples: ['0/000.p/1'] }),
})

/** A tile never changes: a tree only grows. It is for callers with a key, so that shared caches do not keep it. */
const IMMUTABLE = 'private, max-age=31536000, immutable'
const VARY = 'accept-encoding'
const gzipped = promisify(gzip)
/** Entries are text. Hashes get no shorter. */
const isShortened = ({ level }: TileName): boolean => level === 'entries'

export function getLogTile(readTile: ReadLogTile): Endpoint {
  return keyedEndpoint<z.infer<typeof tilePathSchema>>({
    operationId: 'getLogTile',
    method: 'GET',
    path: '/v1/log/tile/{tile}',
    lastParameterTakesSlashes: true,
    tag: 'Transparency log',
    summary: 'Get a tile of the transparency log',
    description:
      'A tile of C2SP (tlog-tiles): up to 256 hashes of 32 bytes of a level, or the entries that are hashed in one of level 0, each behind its length in two bytes. With `/v1/log` as its prefix a client of C2SP reads the checkpoint and the tiles, and checks that a later checkpoint extends an earlier one. A tile never changes. One that the last checkpoint does not have is 404 `not_found`.',
    access: 'read-only',
    pathSchema: tilePathSchema,
    answers: [
      {
        status: 200,
        description: 'The tile.',
        contentType: 'application/octet-stream',
        headers: {
          'Cache-Control': {
            description: 'The caller may keep the tile: it never changes.',
            schema: z.string(),
            example: IMMUTABLE,
          },
          Vary: {
            description: 'The encoding that was asked for changes the body.',
            schema: z.string(),
            example: VARY,
          },
          'Content-Encoding': {
            description: '`gzip` for entries, where the caller accepts it.',
            schema: z.string(),
            optional: true,
          },
        },
        schema: z.string().meta({ description: 'Bytes, not text.', format: 'binary' }),
        example: '…',
      },
    ],
    problems: ['not_found'],
    async handle({ headers }, { path: { tile } }) {
      const name = parseTilePath(tile)
      const bytes = name === null ? null : await readTile(name)
      if (name === null || bytes === null)
        return refuse('not_found', 'The transparency log has no such tile.')
      const answer = { status: 200, contentType: 'application/octet-stream', isOnlyCounted: true }
      const kept = { 'cache-control': IMMUTABLE, vary: VARY }
      return isShortened(name) && takesGzip(headers['accept-encoding'])
        ? { ...answer, headers: { ...kept, 'content-encoding': 'gzip' }, body: await gzipped(bytes) }
        : { ...answer, headers: kept, body: bytes }
    },
  })
}
