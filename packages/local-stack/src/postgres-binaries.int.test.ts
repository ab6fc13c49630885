import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { choosePostgresUser } from './postgres-binaries.js'

const isRoot = process.getuid?.() === 0

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cupel-binaries-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Prints its user, and whether access(2) finds it executable: Postgres makes this check before it starts its programs. */
function program(...way: string[]): string {
  const inside = join(folder, ...way)
  mkdirSync(inside, { recursive: true })
  const path = join(inside, 'program')
  writeFileSync(path, '#!/bin/sh\nid -u\ntest -x "$0" && echo executable\ngrep CapEff /proc/self/status\n')
  chmodSync(path, 0o755)
  return path
}

function run(path: string): string[] {
  const { command, args, user } = choosePostgresUser([path]).command(path, [])
  return execFileSync(command, [...args], { encoding: 'utf8', ...(user ?? {}) })
    .trim()
    .split('\n')
}

// Other users than root do not have this problem, so there is no test for them.
if (isRoot) {
  test('root hands over to another user, without any capability where the way is open', () => {
    chmodSync(folder, 0o711)

    const [uid, executable, capabilities] = run(program('open'))

    expect(uid).not.toBe('0')
    expect(executable).toBe('executable')
    expect(capabilities).toMatch(/CapEff:\s+0000000000000000$/)
  })

  test('root hands over one capability and no more where a folder on the way is closed', () => {
    chmodSync(folder, 0o700)

    const [uid, executable, capabilities] = run(program('closed'))

    expect(uid).not.toBe('0')
    expect(executable).toBe('executable')
    expect(capabilities).toMatch(/CapEff:\s+000000000000000[24]$/)
  })

  test('a folder that is the other user’s own is not closed to it', () => {
    chmodSync(folder, 0o711)
    const path = program('own')
    const { ids } = choosePostgresUser([path])
    chmodSync(join(folder, 'own'), 0o700)
    chownSync(join(folder, 'own'), ids!.uid, ids!.gid)
    chownSync(path, ids!.uid, ids!.gid)

    expect(run(path)[2]).toMatch(/CapEff:\s+0000000000000000$/)
  })
} else {
  test('an ordinary user starts everything as itself', () => {
    expect(run(program('open'))[0]).toBe(String(process.getuid?.()))
  })
}
