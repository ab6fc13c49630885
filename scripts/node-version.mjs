// Runs before the version of Node is checked, so it uses only syntax that every Node with modules can parse.
const MAJOR = 20
const MINOR = 19
const EXIT_NODE = 10

export function requireNode() {
  const parts = process.versions.node.split('.').map(Number)
  if (parts[0] > MAJOR || (parts[0] === MAJOR && parts[1] >= MINOR)) return
  process.stderr.write(
    'Cupel needs Node ' +
      MAJOR +
      '.' +
      MINOR +
      ' or newer, and this is ' +
      process.versions.node +
      ': install a newer one.\n',
  )
  process.exit(EXIT_NODE)
}
