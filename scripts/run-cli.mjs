// Sets up, then runs the CLI in the same process, so that it receives signals directly.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { orExplain, root, setUp } from './setup.mjs'

/** @param {string[]} args */
export async function runCli(args) {
  await orExplain(() => setUp())
  process.argv = [process.argv[0], join(root, 'scripts', 'cupel.mjs'), ...args]
  const { main } = await import(pathToFileURL(join(root, 'services', 'cli', 'dist', 'main.js')).href)
  await main(args)
}
