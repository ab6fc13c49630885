/** The methods of each path, for OPTIONS, 405 and 404. */
import type { Endpoint } from './endpoint.js'

export interface PathTable {
  /** The value of the Allow header; null where no endpoint has the path. `url` may contain a query. */
  allowedMethods(url: string): string | null
}

export function createPathTable(endpoints: readonly Pick<Endpoint, 'method' | 'path'>[]): PathTable {
  const methodsByPath = new Map<string, Set<string>>()
  for (const { method, path } of endpoints) {
    const methods = methodsByPath.get(path) ?? new Set<string>()
    methods.add(method)
    if (method === 'GET') methods.add('HEAD')
    methodsByPath.set(path, methods)
  }
  const table = [...methodsByPath].map(([path, methods]) => ({
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    allow: [...methods, 'OPTIONS'].join(', '),
  }))
  return {
    allowedMethods: (url) => {
      const path = url.split('?', 1)[0]!
      return table.find(({ pattern }) => pattern.test(path))?.allow ?? null
    },
  }
}
