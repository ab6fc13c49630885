/** ClickHouse in a process, with its HTTP interface. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** `.ci/run` installs it. */
const PYTHON =
  process.env['CUPEL_TEST_CHDB_PYTHON'] ?? join(import.meta.dirname, '../../../../.cache/chdb/bin/python')

/** Why the tests have no ClickHouse; undefined if they have one. */
export const missingChdb = existsSync(PYTHON)
  ? undefined
  : ': chDB is not installed: python3 -m venv .cache/chdb && .cache/chdb/bin/pip install --no-deps chdb-core==26.9.0'

export interface Chdb {
  readonly pid: number
  /** The address of a new database. */
  newDatabase(): string
  close(): Promise<void>
}

export async function startChdb(): Promise<Chdb> {
  const folder = await mkdtemp(join(tmpdir(), 'cupel-chdb-'))
  const child = spawn(PYTHON, [join(import.meta.dirname, 'chdb-server.py'), folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [port] = (await once(createInterface(child.stdout), 'line')) as [string]
  let databases = 0
  return {
    pid: child.pid!,
    newDatabase: () => `clickhouse://127.0.0.1:${port}/ledger_${(databases += 1)}`,
    async close() {
      child.stdin.end()
      if (child.exitCode === null) await once(child, 'exit')
      await rm(folder, { recursive: true, force: true })
    },
  }
}
