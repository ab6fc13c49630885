import { InvalidArgumentError } from './errors.js'

/** A path with ids in it. An id that is empty or has other characters would name another endpoint. */
export function path(strings: TemplateStringsArray, ...ids: string[]): string {
  return String.raw({ raw: strings }, ...ids.map(checkedId))
}

function checkedId(id: string): string {
  if (typeof id === 'string' && /^[A-Za-z0-9_-]{1,200}$/.test(id)) return id
  throw new InvalidArgumentError('An id has only letters, digits, "_" and "-", and at least one of them.')
}
