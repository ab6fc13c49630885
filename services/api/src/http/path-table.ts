/** Which methods a path takes: for OPTIONS, for 405, and to tell both from 404. */
import type { Endpoint } from './endpoint.js'

export interface PathTable {
  /** Value of the Allow header, or null where nothing lives under the path. `url` may carry a query. */
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
