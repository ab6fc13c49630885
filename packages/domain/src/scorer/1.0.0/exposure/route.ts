/**
 * The addresses from a source to where value has come, in the order in which it moved, and whether every transfer on the
 * way is proven and in known order. Each route is made once, so that two parts took the same one exactly where they hold the same object.
 */
export interface Route {
  readonly sourceAddress: string
  /** Addresses behind the source. */
  readonly between: readonly string[]
  readonly proven: boolean
  /** The value left the source while a designation of it was in force that has ended since. */
  readonly wasDesignated: boolean
  /** The addresses, separated by spaces: one way whether or not it is proven. */
  readonly way: string
}

export interface Routes {
  /** The route of a transfer from a source. */
  start(source: string, proven: boolean, wasDesignated: boolean): Route
  /** Proven or not until here, over an unproven transfer a route is one and the same. */
  extend(route: Route, address: string, proven: boolean): Route
}

/** As text, for an order among routes: `+` where proven, else `-`, then its addresses. */
export const routeText = ({ proven, way }: Route): string => (proven ? '+' : '-') + way

/** Both forms of a way, and the ways that go on from it. */
interface Way {
  readonly proven: Route
  readonly unproven: Route
  readonly onward: Map<string, Way>
}

export function createRoutes(): Routes {
  const starts = new Map<string, Way>()
  const wayOf = new Map<Route, Way>()

  function madeOnce(ways: Map<string, Way>, key: string, made: () => Omit<Route, 'proven'>): Way {
    const known = ways.get(key)
    if (known !== undefined) return known
    const common = made()
    const way: Way = {
      proven: { ...common, proven: true },
      unproven: { ...common, proven: false },
      onward: new Map(),
    }
    ways.set(key, way)
    wayOf.set(way.proven, way)
    wayOf.set(way.unproven, way)
    return way
  }

  return {
    start: (source, proven, wasDesignated) => {
      const way = madeOnce(starts, `${source} ${wasDesignated}`, () => ({
        ...{ sourceAddress: source, between: [], wasDesignated, way: source },
      }))
      return proven ? way.proven : way.unproven
    },
    extend: (route, address, proven) => {
      const way = madeOnce(wayOf.get(route)!.onward, address, () => ({
        ...route,
        between: [...route.between, address],
        way: `${route.way} ${address}`,
      }))
      return route.proven && proven ? way.proven : way.unproven
    },
  }
}
