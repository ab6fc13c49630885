/** Where the program of a worker thread is. */
import type { Worker, WorkerOptions } from 'node:worker_threads'

/** Bundles a source for a thread, because a thread inherits no loader. Only tests run sources. */
const BUNDLER = new URL('../../../testkit/src/bundled-program.mjs', import.meta.url).href

/**
 * Arguments of `new Worker` for the program beside the caller: transpiled in an installation, source in tests.
 * @param caller its `import.meta.url`
 * @param name of the program's file, without folder and extension
 */
export function threadProgram(
  caller: string,
  name: string,
  options: WorkerOptions,
): ConstructorParameters<typeof Worker> {
  if (!caller.endsWith('.ts')) return [new URL(`./${name}.js`, caller), { execArgv: [], ...options }]
  const [bundler, source] = [BUNDLER, new URL(`./${name}.ts`, caller).href].map((url) => JSON.stringify(url))
  const code = `
    const { fileURLToPath, pathToFileURL } = require('node:url')
    import(${bundler})
      .then(({ bundledProgram }) => bundledProgram(fileURLToPath(${source})))
      .then((file) => import(pathToFileURL(file)))`
  return [code, { eval: true, execArgv: ['--conditions=cupel-source'], ...options }]
}
