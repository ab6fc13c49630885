import { InvalidArgumentError } from './errors.js'

/** A path with ids in it. An id that is empty or has other characters would name another endpoint. */
export function path(strings: TemplateStringsArray, ...ids: string[]): string {
  return String.raw({ raw: strings }, ...ids.map(checkedId))
}

function checkedId(id: string): string {
  if (typeof id === 'string' && /^[A-Za-z0-9_-]{1,200}$/.test(id)) return id
  throw new InvalidArgumentError('An id has only letters, digits, "_" and "-", and at least one of them.')
}

const TILE = /^(?:entries|0|[1-9][0-9]?)\/(?:x[0-9]{3}\/){0,5}[0-9]{3}(?:\.p\/[1-9][0-9]{0,2})?$/

/** The path of a tile, whose slashes are part of its name. */
export function tilePath(tile: string): string {
  if (typeof tile === 'string' && TILE.test(tile)) return `/v1/log/tile/${tile}`
  throw new InvalidArgumentError(
    'A tile is named as C2SP does it: "0/000", "1/000.p/3", "entries/x001/234.p/8".',
  )
}
