import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'

let folder: string
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'cupel-failpoints-'))))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function visit(times: number, environment: Record<string, string>) {
  const script = join(folder, 'visit.mts')
  writeFileSync(
    script,
    `import { failpoint } from ${JSON.stringify(fileURLToPath(new URL('./index.ts', import.meta.url)))}\n` +
      `for (let i = 1; i <= ${times}; i++) { failpoint('before', 'test'); process.stdout.write(String(i)); failpoint('after', 'test') }\n`,
  )
  return spawnSync(process.execPath, ['--import', 'tsx', script], {
    encoding: 'utf8',
    cwd: fileURLToPath(new URL('../../../..', import.meta.url)),
    env: { PATH: process.env['PATH'] ?? '', ...environment },
  })
}

test('unarmed points are passed by', () => {
  expect(visit(3, {})).toMatchObject({ stdout: '123', signal: null, status: 0 })
})

test('an armed point kills at its n-th visit, on its own side', () => {
  expect(visit(3, { CUPEL_FAILPOINT: 'before:test:2' })).toMatchObject({ stdout: '1', signal: 'SIGKILL' })
  expect(visit(3, { CUPEL_FAILPOINT: 'after:test:2' })).toMatchObject({ stdout: '12', signal: 'SIGKILL' })
})

test('a point that fired is noted and passed by in the next process', () => {
  const fired = join(folder, 'fired')
  const environment = { CUPEL_FAILPOINT: 'before:test:1,after:test:2', CUPEL_FAILPOINT_FIRED: fired }
  expect(visit(3, environment)).toMatchObject({ stdout: '', signal: 'SIGKILL' })
  expect(visit(3, environment)).toMatchObject({ stdout: '12', signal: 'SIGKILL' })
  expect(visit(3, environment)).toMatchObject({ stdout: '123', signal: null })
  expect(readFileSync(fired, 'utf8')).toBe('before:test\nafter:test\n')
})

test('a point that cannot be read is refused', () => {
  expect(visit(1, { CUPEL_FAILPOINT: 'somewhere' }).stderr).toContain('CUPEL_FAILPOINT must look like')
})
