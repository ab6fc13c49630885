/** Programs of tests that run in their own processes, bundled as one file each. */
import { fileURLToPath } from 'node:url'
import { bundledProgram, CONDITION } from './bundled-program.mjs'

const bundles = new Map<string, Promise<string>>()

/** Arguments of Node that run the TypeScript program on the sources of the workspace. */
export async function programArguments(program: URL): Promise<string[]> {
  const source = fileURLToPath(program)
  const known = bundles.get(source) ?? bundledProgram(source)
  bundles.set(source, known)
  return [`--conditions=${CONDITION}`, await known]
}
