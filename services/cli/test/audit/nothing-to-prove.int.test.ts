/** The command rejects proofs of nothing: empty logs, wrong folders, other logs, and fewer reports than expected. */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callCupel, openCommandLine, type CommandLine } from '../command-line.js'

const NOTHING_TO_PROVE = 4
const proofs = ['verify', 'recompute'] as const

let cli: CommandLine
const folder = mkdtempSync(join(tmpdir(), 'cupel-nothing-'))
beforeAll(async () => {
  cli = await openCommandLine()
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await cli.close()
})

describe('of an empty log', () => {
  test.each(proofs)('%s proves nothing, and says so in words, JSON and exit code', async (proof) => {
    const said = await cli.cupel('audit', proof)
    expect(said).toMatchObject({ error: null, exitCode: NOTHING_TO_PROVE })
    expect(said.out).toContain('There is nothing to prove.')
    expect(said.out).not.toMatch(/No problem|Nothing differs/)
    expect(await cli.json('audit', proof)).toMatchObject({ reports: 0, is_proven: false })
  })

  test.each(proofs)('%s fails if reports are expected', async (proof) => {
    const said = await cli.cupel('audit', proof, '--min-reports', '1')
    expect(said).toMatchObject({ error: null, exitCode: 1 })
    expect(said.out).toContain('The log has 0 reports, and at least 1 are expected.')
  })

  test.each(proofs)('%s takes no other log for the one that is expected', async (proof) => {
    const identity = await cli.log.identity()
    expect(await cli.cupel('audit', proof, '--expect-log', identity)).toMatchObject({ error: null })
    const other = await cli.cupel('audit', proof, '--expect-log', 'another')
    expect(other.error).toMatchObject({ exitCode: 1, message: `This is the log ${identity}, not another.` })
  })
})

test('of a home that cannot be read the command says so, and leaves no part of its work behind', async () => {
  const home = join(folder, 'unreadable')
  mkdirSync(join(home, 'profile'), { recursive: true })
  const said = await callCupel({ ...cli.environment, CUPEL_HOME: home }, ['audit', 'verify'])
  expect(String(said.error)).toContain('EISDIR')
  // What still ran would read a closed connection, and its failure would end the process.
})

describe('in a folder without an installation', () => {
  const at = (home: string) => ({ CUPEL_HOME: home })

  test.each(proofs)('%s has nothing to prove', async (proof) => {
    const home = join(folder, 'mistyped')
    const said = await callCupel(at(home), ['audit', proof, '--json'])
    expect(said.error).toMatchObject({ exitCode: NOTHING_TO_PROVE })
    expect(JSON.parse(said.out)).toEqual({ log: null, reports: 0, is_proven: false })
    expect(existsSync(home)).toBe(false)
  })

  test.each([
    ['status'],
    ['keys', 'list'],
    ['accounts', 'list'],
    ['labels', 'sources'],
    ['ledger', 'segments'],
    ['policy', 'show'],
    ['dead-letters', 'list'],
    ['audit', 'export'],
    ['audit', 'replay', '--target', 'report-view'],
  ])('%s %s makes none', async (...args) => {
    const home = join(folder, 'none')
    const { error } = await callCupel(at(home), args)
    expect(error).toMatchObject({ exitCode: 3, message: expect.stringContaining('CUPEL_HOME') as string })
    expect(existsSync(home)).toBe(false)
  })
})
