import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { createContext } from '@cupel/command-line'
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

test.each(['screen', 'transfers', 'report', 'bulk'])(
  '%s calls the API, and loads no database and no log for that',
  async (group) => {
    const loaded = await packagesOf('main.ts', `${group}/register.ts`)
    expect(loaded).toEqual(expect.arrayContaining(['commander', '@cupel/local-stack/home']))
    const light = ['@cupel/domain', '@cupel/local-stack/home', '@cupel/reports/document']
    expect(loaded.filter((name) => name.startsWith('@cupel/') && !light.includes(name))).toEqual([])
  },
)

/** The packages that these sources import when they load, directly or through other sources of the command line. */
async function packagesOf(...sources: readonly string[]): Promise<string[]> {
  const folder = fileURLToPath(new URL('.', import.meta.url))
  const { metafile } = await build({
    ...{
      absWorkingDir: folder,
      entryPoints: [...sources],
      outdir: 'unwritten',
      write: false,
      metafile: true,
    },
    ...{ bundle: true, splitting: true, format: 'esm', platform: 'node', packages: 'external' },
  })
  const packages = new Set<string>()
  const seen = new Set<string>(sources)
  for (const source of seen)
    for (const { path, kind, external } of metafile.inputs[source]!.imports) {
      if (kind !== 'import-statement') continue
      if (external === true) packages.add(path)
      else seen.add(path)
    }
  return [...packages]
}
