import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { accountLines, createAccount, keepSummary, keptSummaries, summaryOf } from './account.mjs'
import { calibrationMs, childrenMs, ownMs, timesIn } from './processor-time.mjs'

const at = { date: '2026-11-28', calibration: 100, runnerMs: 0 }
/** An account whose ended children have taken these times at each reading. */
const accountOver = (...readings) => createAccount(() => readings.shift())
const summary = (changes) => ({
  date: '2026-11-01',
  calibrationMs: 100,
  totalSeconds: 10,
  seconds: { unit: 10 },
  dearest: [{ file: 'a.unit.test.ts', seconds: 4 }],
  ...changes,
})

test('each ended child counts once, for the part that it belongs to', () => {
  const account = accountOver(1_000, 3_000, 10_000, 10_500)
  account.checkEnded()
  account.testsEnded()
  account.checkEnded()
  expect(account).toMatchObject({ buildMs: 1_000, checksMs: 2_500, testsMs: 7_000 })
})

test('a file counts with its children under its kind, and what no file took is the rest', () => {
  const account = accountOver(0, 10_000)
  account.note({ file: 'a.full.int.test.ts', ownMs: 1_000, childrenMs: 2_000 })
  account.note({ file: 'b.unit.test.mjs', ownMs: 500, childrenMs: 0 })
  account.note({ file: 'b.unit.test.mjs', ownMs: 250, childrenMs: 250 })
  account.testsEnded()
  expect(summaryOf(account, at)).toMatchObject({
    totalSeconds: 10,
    seconds: { int: 3, unit: 1, build: 0, checks: 0, rest: 6 },
    dearest: [
      { file: 'a.full.int.test.ts', seconds: 3 },
      { file: 'b.unit.test.mjs', seconds: 1 },
    ],
  })
})

test('a server that files share counts once, with its last reading', () => {
  const account = accountOver(0, 10_000)
  account.note({ file: 'a.int.test.ts', ownMs: 1_000, childrenMs: 0 })
  account.noteServer({ server: 'postgres', ms: 3_000 })
  account.noteServer({ server: 'postgres', ms: 4_000 })
  account.testsEnded()
  expect(summaryOf(account, at).seconds).toMatchObject({ int: 1, postgres: 4, rest: 5 })
})

test('only the twenty dearest files are listed', () => {
  const account = accountOver(0)
  for (let index = 0; index < 30; index += 1)
    account.note({ file: `${index}.unit.test.ts`, ownMs: index, childrenMs: 0 })
  expect(summaryOf(account, at).dearest).toHaveLength(20)
})

test('a run says how much more or less it took than the last one, also at equal speed of the machine', () => {
  const now = summary({ totalSeconds: 11.2, calibrationMs: 112, seconds: { unit: 9 } })
  const lines = accountLines(now, summary({})).join('\n')
  expect(lines).toContain('11.2 s  in all  +12 % since 2026-11-01, +0 % at equal speed of the machine')
  expect(lines).toContain('9.0 s  unit  −10 %')
  expect(accountLines(now, null).join('\n')).not.toContain('%')
})

test('the summary of each tier is kept, and an unreadable file is replaced', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cupel-account-'))
  try {
    const path = join(folder, 'processor-time.json')
    writeFileSync(path, '{')
    keepSummary(path, 'test', summary({}))
    keepSummary(path, 'quick', summary({ totalSeconds: 1 }))
    expect(keptSummaries(path)).toEqual({ test: summary({}), quick: summary({ totalSeconds: 1 }) })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('times of a process are read behind its name, whatever the name contains', () => {
  const fields = ['S', ...Array.from({ length: 10 }, () => '0'), '1', '2', '3', '4', '20']
  expect(timesIn(`7 (a) b ( c) ${fields.join(' ')}`)).toEqual({ own: 30, ended: 70 })
})

test('processor time is measured', () => {
  expect(ownMs()).toBeGreaterThan(0)
  expect(childrenMs()).toBeGreaterThanOrEqual(0)
  expect(calibrationMs(1_000)).toBeGreaterThanOrEqual(0)
})
