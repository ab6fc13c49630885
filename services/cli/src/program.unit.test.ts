import { fileURLToPath } from 'node:url'
import { createContext } from '@cupel/command-line'
import type { Command } from 'commander'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import boundaries from '../../../boundaries.json' with { type: 'json' }
import { createClientProgram } from './client/client-program.js'
import { createProgram } from './program.js'

async function namesFor(...args: string[]): Promise<string[]> {
  const program = await createProgram(createContext({}, args), args)
  return program.commands.map((command) => command.name())
}

test('a command has only its own group', async () => {
  expect(await namesFor('--verbose', 'screen', '--json')).toEqual(['screen'])
  expect(await namesFor('bulk', 'show')).toEqual(['bulk'])
  expect(await namesFor('--version')).toEqual([])
})

function helpOf(command: Command): string {
  let text = ''
  command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp()
  return [text, ...command.commands.map(helpOf)].join('')
}

test('the help speaks of a demo key where an installation has one, and not to its users elsewhere', async () => {
  expect(helpOf(await createProgram(createContext({}, []), []))).toContain('or the demo key')
  expect(helpOf(createClientProgram(createContext({}, [])))).not.toContain('demo')
})

/** Features whose commands need no installation. */
const rooms: Record<string, { readonly imports: readonly string[] }> = boundaries.packages
const callers = Object.entries(rooms).flatMap(([room, { imports }]) => {
  const [feature = '', name] = room.split('/')
  return name === 'commands' && !imports.includes('command-line/installation') ? [feature] : []
})

test('screens and jobs need no installation', () => {
  expect(callers).toEqual(expect.arrayContaining(['screening', 'reports', 'bulk']))
})

test.each(callers)(
  'the commands of %s call the API, and load no database and no log for that',
  async (feature) => {
    const loaded = await loadedBy('services/cli/src/main.ts', `packages/${feature}/src/commands/index.ts`)
    expect(loaded).toContain('packages/local-stack/src/home.ts')
    const heavy = ['packages/postgres/', 'packages/event-log/', 'packages/command-line/src/installation/']
    expect(loaded.filter((path) => heavy.some((folder) => path.startsWith(folder)))).toEqual([])
  },
)

/** The sources that these load at once, directly or through others. */
async function loadedBy(...sources: readonly string[]): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: fileURLToPath(new URL('../../..', import.meta.url)),
    ...{ entryPoints: [...sources], outdir: 'unwritten', write: false, metafile: true },
    ...{ bundle: true, splitting: true, format: 'esm', platform: 'node', conditions: ['cupel-source'] },
    plugins: [
      {
        name: 'libraries stay outside',
        setup({ onResolve }) {
          onResolve({ filter: /^[^.]/ }, ({ path, kind }) =>
            kind === 'entry-point' || path.startsWith('@cupel/') ? undefined : { path, external: true },
          )
        },
      },
    ],
  })
  const seen = new Set<string>(sources)
  for (const source of seen)
    for (const { path, kind, external } of metafile.inputs[source]!.imports)
      if (kind === 'import-statement' && external !== true) seen.add(path)
  return [...seen]
}
