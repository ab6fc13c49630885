// Packs @cupel/cli, the commands that need an address and a key of an installation, for `npx`:
//   node scripts/release-cli.mjs DIR        writes cupel-cli-VERSION.tgz to DIR
// One file holds the commands with their libraries, so that the package brings no dependency and nothing of a service.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const ENTRY = 'services/cli/src/client/client.ts'
/** The folder of a library. */
const LIBRARY = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/

const README = `# @cupel/cli

The command line of [Cupel](https://cupel.example.com) for users of an installation. Node 22 or later. No dependencies.

\`\`\`sh
export CUPEL_BASE_URL=https://cupel.example.com CUPEL_API_KEY=cpl_live_…
npx @cupel/cli screen 0x098B716B8Aaf21512996dC57EB0615e2383E2f96
npx @cupel/cli bulk submit addresses.csv --wait
npx @cupel/cli listen --forward-to http://127.0.0.1:3000/hook
\`\`\`

\`npx @cupel/cli --help\` lists the commands. With \`npm install --global @cupel/cli\` they are \`cupel …\`, and
\`source <(cupel completion bash)\` completes them.
`

/** Options of esbuild. @returns {import('esbuild').BuildOptions & { metafile: true }} */
export const clientBundle = () => ({
  absWorkingDir: root,
  entryPoints: [ENTRY],
  bundle: true,
  write: false,
  metafile: true,
  logLevel: 'silent',
  format: 'esm',
  platform: 'node',
  target: 'node22',
  conditions: ['cupel-source'],
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  banner: {
    js: `import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);`,
  },
  plugins: [onlyWhatIsUsed],
})

/**
 * A module of which nothing is used is left out: no module of the commands does anything where it is only imported.
 * @type {import('esbuild').Plugin}
 */
const onlyWhatIsUsed = {
  name: 'only what is used',
  setup({ onResolve, resolve: found }) {
    onResolve({ filter: /.*/ }, async ({ path, pluginData, ...where }) => {
      if (pluginData === 'asked' || where.kind === 'entry-point') return undefined
      const { importer, namespace, resolveDir, kind } = where
      const answer = await found(path, { importer, namespace, resolveDir, kind, pluginData: 'asked' })
      return answer.errors.length > 0 || answer.external ? undefined : { ...answer, sideEffects: false }
    })
  },
}

/**
 * @param {string} out the folder for the tarball
 * @returns {Promise<string>} the path of the tarball
 */
export async function packCli(out) {
  // Loaded on use: a release asks for this module without packing.
  const { build } = await import('esbuild')
  const { version, license } = JSON.parse(readFileSync(join(root, 'services/cli/package.json'), 'utf8'))
  const { outputFiles = [], metafile } = await build(clientBundle())
  const folder = mkdtempSync(join(tmpdir(), 'cupel-cli-'))
  try {
    writeFileSync(join(folder, 'cupel.mjs'), outputFiles[0].contents, { mode: 0o755 })
    writeFileSync(join(folder, 'README.md'), README)
    copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
    writeFileSync(join(folder, 'LIBRARIES.md'), librariesText(metafile))
    const manifest = {
      ...{
        name: '@cupel/cli',
        version,
        description: 'Wallet risk screening: calls an installation of Cupel',
      },
      ...{ license, type: 'module', bin: { cupel: 'cupel.mjs' }, engines: { node: '>=22' } },
      files: ['cupel.mjs', 'LIBRARIES.md'],
    }
    writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
    mkdirSync(out, { recursive: true })
    execFileSync('npm', ['pack', '--silent', '--pack-destination', resolve(out)], { cwd: folder })
    return join(resolve(out), `cupel-cli-${version}.tgz`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The licence of each library whose code is in the file. */
function librariesText({ outputs }) {
  const [{ inputs }] = Object.values(outputs)
  const folders = Object.keys(inputs).flatMap((path) => LIBRARY.exec(path)?.[0] ?? [])
  const texts = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
    return `## ${name} ${version} (${license})\n\n${licenceOf(folder)}`
  })
  return `# Libraries in this package\n\n${texts.join('\n')}`
}

function licenceOf(folder) {
  for (const name of ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'license'])
    try {
      return readFileSync(join(root, folder, name), 'utf8')
    } catch (error) {
      if (error.code !== 'ENOENT') throw error
    }
  throw new Error(`${folder} has no text of its licence`)
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [out] = process.argv.slice(2)
  if (out === undefined) throw new Error('usage: node scripts/release-cli.mjs DIR')
  console.log(await packCli(out))
}
