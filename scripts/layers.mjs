// The layers of ARCHITECTURE.md, computed from boundaries.json.

/**
 * Packages and services by layer, the lowest first: each imports only members of lower layers.
 * Throws if the table has a cycle or names a member that it does not list.
 * @param {Record<'packages' | 'services', Record<string, { imports: string[] }>>} table
 * @returns {string[][]} names, sorted within a layer
 */
export function layersOf(table) {
  const members = { ...table.packages, ...table.services }
  const layers = []
  for (const name of Object.keys(members).sort()) {
    const layer = layerOf(name, [])
    layers[layer] = [...(layers[layer] ?? []), name]
  }
  return layers

  function layerOf(name, path) {
    if (path.includes(name)) throw new Error(`boundaries.json has a cycle: ${[...path, name].join(' → ')}`)
    if (members[name] === undefined) throw new Error(`boundaries.json does not list ${name}`)
    return Math.max(-1, ...members[name].imports.map((one) => layerOf(one, [...path, name]))) + 1
  }
}

/** One line for each layer, the highest first: packages, then services. */
export function drawLayers(table) {
  const rows = layersOf(table).map((names) => ({
    packages: names.filter((name) => name in table.packages).join('  '),
    services: names.filter((name) => name in table.services).join('  '),
  }))
  const width = Math.max(...rows.map(({ packages }) => packages.length))
  return rows
    .map(({ packages, services }, layer) => `${layer}  ${packages.padEnd(width)}  │  ${services}`.trimEnd())
    .reverse()
    .join('\n')
}
