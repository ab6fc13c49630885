/** A timer runs the retention on a home whose installation does not run, as `cupel retention apply` does. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SIGNING_KEYS_FILE } from '@cupel/evidence/transparency'
import { createSigningKeys } from '@cupel/signing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callCupel, type Said } from '../command-line.js'

let home: string
const umask = process.umask()
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'cupel-stopped-'))
})
afterAll(() => {
  process.umask(umask)
  rmSync(home, { recursive: true, force: true })
})

const cupel = (...args: string[]): Promise<Said> => callCupel({ CUPEL_HOME: home }, args)

test('a run on a home that does not run starts its database for each of its steps', async () => {
  expect((await cupel('accounts', 'create', 'Own')).error).toBeNull()
  createSigningKeys(join(home, SIGNING_KEYS_FILE))
  const archive = join(home, 'archive')
  expect((await cupel('archive', 'create', archive)).error).toBeNull()
  const ran = await cupel('retention', 'run', archive, '--keep-months', '1', '--reason', 'older', '--json')
  expect(ran.error).toBeNull()
  expect(JSON.parse(ran.out)).toMatchObject({ taken: 0, records: 0 })
})
