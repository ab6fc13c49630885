import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundledProgram } from './bundled-program.mjs'

const CACHE = fileURLToPath(new URL('../../../.cache', import.meta.url))
let folder: string
beforeAll(() => {
  mkdirSync(CACHE, { recursive: true })
  folder = mkdtempSync(join(CACHE, 'bundled-'))
})
const bundles = new Set<string>()
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
  for (const bundle of bundles)
    for (const file of [bundle, bundle.replace(/mjs$/, 'sources.json')]) rmSync(file, { force: true })
})

const answerOf = async (bundle: string): Promise<unknown> => {
  const { answer } = (await import(`${pathToFileURL(bundle).href}?made=${statSync(bundle).mtimeMs}`)) as {
    answer: unknown
  }
  return answer
}

test('a bundle is made again in another checkout, and with other versions of packages', async () => {
  const program = join(folder, 'alone.ts')
  writeFileSync(program, 'export const answer: number = 3\n')
  const bundle = await bundledProgram(program)
  bundles.add(bundle)
  const sources = bundle.replace(/mjs$/, 'sources.json')
  const known = readFileSync(sources, 'utf8')
  for (const [from, to] of [
    ['"checkout":"', '"checkout":"/elsewhere'],
    ['"pnpm-lock.yaml","', '"pnpm-lock.yaml","1'],
  ] as const) {
    expect(known).toContain(from)
    writeFileSync(sources, known.replace(from, to))
    const { ino } = statSync(bundle)
    await bundledProgram(program)
    expect(statSync(bundle).ino, to).not.toBe(ino)
    expect(readFileSync(sources, 'utf8')).toBe(known)
  }
})

test('a bundle is made once, and again after a source that it contains has changed', async () => {
  const [program, part] = [join(folder, 'program.ts'), join(folder, 'part.ts')]
  writeFileSync(program, "export { answer } from './part.js'\n")
  writeFileSync(part, 'export const answer: number = 1\n')
  const bundle = await bundledProgram(program)
  bundles.add(bundle)
  expect(await answerOf(bundle)).toBe(1)

  const { ino } = statSync(bundle)
  expect(await bundledProgram(program)).toBe(bundle)
  expect(statSync(bundle).ino).toBe(ino)

  writeFileSync(part, 'export const answer: number = 22\n')
  expect(await answerOf(await bundledProgram(program))).toBe(22)
})
