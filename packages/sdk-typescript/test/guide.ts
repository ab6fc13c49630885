/** The runnable snippets of docs/sdk-typescript.md, as files of a project. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { transformSync } from 'esbuild'

const guide = new URL('../../../docs/sdk-typescript.md', import.meta.url)

/** The TypeScript of each block that is marked `ts run`, in order. */
export function snippets(): readonly string[] {
  return [...readFileSync(guide, 'utf8').matchAll(/^```ts run\n([^]*?)^```$/gm)].map(([, code]) => code!)
}

/** Writes the snippet as a module for any runtime, and returns its path. */
export function writeSnippet(folder: string, index: number, code: string): string {
  const path = join(folder, `snippet-${index}.mjs`)
  writeFileSync(path, transformSync(code, { loader: 'ts', format: 'esm', target: 'es2022' }).code)
  return path
}
