import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openStateFile } from './recompute-state.js'
import { measureWork, workText } from './work-rate.js'

const question = { log: 'a', levels: ['A'], since: null }
const state = { ranges: [{ topic: 't', partition: 0, from: 0, to: 4 }], done: [] }
let folder: string
let file: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cupel-state-'))
  file = join(folder, 'state.json')
})
afterEach(() => rmSync(folder, { recursive: true }))

test('the last state is read again, only its owner can read it, and no other file is left', () => {
  const opened = openStateFile(file, question, 'cupel audit recompute')
  expect(opened.resume).toBeUndefined()
  opened.save({ ...state, ranges: [] })
  opened.save(state)
  expect(openStateFile(file, question, 'cupel audit recompute').resume).toEqual(state)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toEqual(['state.json'])
  opened.remove()
  expect(openStateFile(file, question, 'cupel audit recompute').resume).toBeUndefined()
})

test.each([{ log: 'b' }, { levels: ['A', 'B'] }, { since: '2026-01-01' }])(
  'the state of another question is refused: %o',
  (change) => {
    openStateFile(file, question, 'cupel audit recompute').save(state)
    expect(() => openStateFile(file, { ...question, ...change }, 'cupel audit recompute')).toThrow(
      'other options',
    )
  },
)

test.each([
  ['changed', (text: string) => text.replace('"to":4', '"to":3')],
  ['cut off', (text: string) => text.slice(0, -10)],
  ['empty', () => ''],
  ['null', () => 'null'],
  ['another document', () => '{"format":1}'],
])('a file that is %s is refused, and stays', (_how, change) => {
  openStateFile(file, question, 'cupel audit recompute').save(state)
  const changed = change(readFileSync(file, 'utf8'))
  writeFileSync(file, changed)
  expect(() => openStateFile(file, question, 'cupel audit recompute')).toThrow('Remove it to begin anew')
  expect(readFileSync(file, 'utf8')).toBe(changed)
})

test('a place that cannot be read or written is told', () => {
  expect(() =>
    openStateFile(join(folder, 'none', 'state'), question, 'cupel audit recompute').save(state),
  ).toThrow('cannot be written')
  mkdirSync(file)
  expect(() => openStateFile(file, question, 'cupel audit recompute')).toThrow('cannot be read')
})

test('a rate is of wall time and of CPU time, and of no time there is none', () => {
  let ms = 0
  const clocks = { now: () => ms, cpuUsage: () => ({ user: ms * 1_500, system: ms * 500 }) }
  const rate = measureWork(clocks)
  expect(rate(5)).toMatchObject({ seconds: 0, reportsPerSecond: null, reportsPerCpuSecond: null })
  ms = 2_000
  expect(rate(12_000)).toEqual({
    ...{ reports: 12_000, seconds: 2, cpuSeconds: 4 },
    ...{ reportsPerSecond: 6_000, reportsPerCpuSecond: 3_000 },
  })
  expect(workText(rate(12_000))).toBe(
    '12,000 decided in 2 s with 4 s of CPU, 6,000 per second, 3,000 per CPU second.',
  )
})
