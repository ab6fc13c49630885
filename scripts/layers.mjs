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

/** The layers, the highest first. A service has its name in capital letters. */
export function drawLayers(table) {
  return layersOf(table)
    .map((names, layer) => {
      const shown = names.map((name) => (name in table.services ? name.toUpperCase() : name))
      return wrapped(shown).map((line, at) => `${at === 0 ? String(layer).padStart(2) : '  '}  ${line}`)
    })
    .reverse()
    .flat()
    .join('\n')
}

const WIDTH = 110

function wrapped(names) {
  const lines = ['']
  for (const name of names) {
    const line = lines.at(-1) ?? ''
    if (line === '') lines[lines.length - 1] = name
    else if (line.length + name.length + 2 > WIDTH) lines.push(name)
    else lines[lines.length - 1] = `${line}  ${name}`
  }
  return lines
}
