/** A released scorer is one built file: it decides as its sources did, whatever becomes of them. */
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { LabelStateRecorded, PolicyActivated, ReportGenerated } from '@cupel/contracts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { CURRENT_SCORER_VERSION, recompute, type SharedInputs } from '../src/index.js'

interface Entry {
  readonly released: boolean
  readonly sha256?: string
  readonly sources?: string
  readonly commit?: string | null
}
interface Scripts {
  builtFileOf(version: string): string
  folderOf(version: string): string
  buildScorer(version: string, root?: string): Promise<string>
  releaseScorer(options: { root: string; commit: string | null }): Promise<unknown>
  nameScorerCommit(commit: string, root: string): void
  beginScorer(next: string, options: { root: string; commit: string | null }): Promise<void>
  scorerFiles(root: string): Record<string, string>
  readTable(root: string): { current: string; versions: Record<string, Entry> }
}
type Recompute = typeof recompute

const checkout = fileURLToPath(new URL('../../../', import.meta.url))
const scripts = (await import(pathToFileURL(join(checkout, 'scripts/scorers.mjs')).href)) as Scripts
const { builtFileOf, folderOf } = scripts
const COMMIT = '0123456789abcdef0123456789abcdef01234567'
const NEXT = '9.0.0'
const BUILD_MS = 60_000

const golden = <T>(event: string): T =>
  JSON.parse(readFileSync(join(checkout, `schemas/golden/${event}/1.json`), 'utf8')) as T
const shared: SharedInputs = {
  labelState: golden<LabelStateRecorded>('LabelStateRecorded'),
  policyDocument: golden<PolicyActivated>('PolicyActivated').document,
}
/** The golden report as the current sources decide it. */
const decided = recompute(
  withVersion(golden<ReportGenerated>('ReportGenerated'), CURRENT_SCORER_VERSION),
  shared,
)

function withVersion(recorded: ReportGenerated, scorerVersion: string): ReportGenerated {
  return { ...recorded, inputs: { ...recorded.inputs, scorerVersion } }
}

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'cupel-scorers-'))
  const filter = (path: string): boolean => !path.endsWith('.unit.test.ts')
  for (const path of [
    'packages/domain/scorers.json',
    'packages/domain/src/scorer',
    'packages/domain/package.json',
  ])
    cpSync(join(checkout, path), join(root, path), { recursive: true, filter })
  symlinkSync(join(checkout, 'packages/domain/node_modules'), join(root, 'packages/domain/node_modules'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function generate(): void {
  for (const [path, text] of Object.entries(scripts.scorerFiles(root))) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
}

test(
  'a built scorer is the same in any folder, imports nothing, and decides as its sources do',
  async () => {
    const built = await scripts.buildScorer(CURRENT_SCORER_VERSION)
    expect(await scripts.buildScorer(CURRENT_SCORER_VERSION, root)).toBe(built)
    expect(built).not.toMatch(/\bimport\b[^.]|\brequire\(/)
    expect(built).not.toContain(checkout)
    const file = join(root, 'built.mjs')
    writeFileSync(file, built)
    const { decideAgain } = (await import(pathToFileURL(file).href)) as { decideAgain: Recompute }
    expect(JSON.stringify(decideAgain(decided, shared))).toBe(JSON.stringify(decided))
  },
  BUILD_MS,
)

test(
  'the next scorer may decide otherwise, and reports of the released one are still decided as they were',
  async () => {
    await scripts.beginScorer(NEXT, { root, commit: COMMIT })
    // The next judgement differs in every report.
    const index = join(root, folderOf(NEXT), 'screening', 'recompute.ts')
    const source = readFileSync(index, 'utf8').replace(
      'export function decideAgain(',
      'function decideBefore(',
    )
    writeFileSync(
      index,
      `${source}\nexport const decideAgain: typeof decideBefore = (recorded, shared) => ({ ...decideBefore(recorded, shared), level: 'changed' })\n`,
    )
    generate()
    const next = (await import(join(root, 'packages/domain/src/scorer/recompute.ts'))) as {
      recompute: Recompute
    }
    expect(JSON.stringify(next.recompute(decided, shared))).toBe(JSON.stringify(decided))
    const again = next.recompute(withVersion(decided, NEXT), shared)
    expect([again.level, again.inputs.scorerVersion]).toEqual(['changed', NEXT])
    expect(() => next.recompute(withVersion(decided, '8.0.0'), shared)).toThrow('unknown_scorer_version')

    const { current, versions } = scripts.readTable(root)
    expect([current, versions[NEXT]]).toEqual([NEXT, { released: false }])
    const { sha256, ...released } = versions[CURRENT_SCORER_VERSION]!
    expect(released).toEqual({ released: true, commit: COMMIT })
    expect(sha256).toMatch(/^[0-9a-f]{64}$/)
  },
  BUILD_MS,
)

test(
  'a released file that was changed or deleted is rejected',
  async () => {
    await scripts.beginScorer(NEXT, { root, commit: COMMIT })
    generate()
    const file = join(root, builtFileOf(CURRENT_SCORER_VERSION))
    appendFileSync(file, '\n')
    expect(generate).toThrow(/released and has changed/)
    rmSync(file)
    expect(generate).toThrow(/released and has changed/)
  },
  BUILD_MS,
)

test(
  'after its release the folder of a scorer stays as it is until the next one begins',
  async () => {
    await scripts.releaseScorer({ root, commit: null })
    generate()
    await expect(scripts.beginScorer(NEXT, { root, commit: null })).rejects.toThrow(/commit .* is not named/)
    scripts.nameScorerCommit(COMMIT, root)
    appendFileSync(join(root, folderOf(CURRENT_SCORER_VERSION), 'index.ts'), '\n')
    expect(generate).toThrow(/its folder has changed/)
    await scripts.beginScorer(NEXT, { root, commit: null })
    generate()
    expect(scripts.readTable(root).versions[CURRENT_SCORER_VERSION]).toMatchObject({ commit: COMMIT })
  },
  BUILD_MS,
)
