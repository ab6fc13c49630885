/** The methods of each path, for OPTIONS, 405 and 404. */
import type { Endpoint } from './endpoint.js'

export interface PathTable {
  /** Null where no endpoint has the path. `url` may contain a query. */
  find(url: string): KnownPath | null
}

export interface KnownPath {
  /** With the names of its parameters. */
  readonly path: Endpoint['path']
  /** The value of the Allow header. */
  readonly allow: string
}

export function createPathTable(
  endpoints: readonly Pick<Endpoint, 'method' | 'path' | 'lastParameterTakesSlashes'>[],
): PathTable {
  const withSlashes = new Set(
    endpoints.flatMap((each) => (each.lastParameterTakesSlashes ? [each.path] : [])),
  )
  const methodsByPath = new Map<Endpoint['path'], Set<string>>()
  for (const { method, path } of endpoints) {
    const methods = methodsByPath.get(path) ?? new Set<string>()
    methods.add(method)
    if (method === 'GET') methods.add('HEAD')
    methodsByPath.set(path, methods)
  }
  const table = [...methodsByPath].map(([path, methods]) => ({
    path,
    pattern: patternOf(path, withSlashes.has(path)),
    allow: [...methods, 'OPTIONS'].join(', '),
  }))
  return {
    find: (url) => {
      const path = url.split('?', 1)[0]!
      return table.find(({ pattern }) => pattern.test(path)) ?? null
    },
  }
}

function patternOf(path: string, lastTakesSlashes: boolean): RegExp {
  const escaped = path.replaceAll('.', '\\.')
  const named = lastTakesSlashes ? escaped.replace(/\{\w+\}$/, '.+') : escaped
  return new RegExp(`^${named.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
}
