/**
 * Every file that the product writes is whole and on the disk before it has its name, or can be made again, or its loss is told. A new writer
 * is entered here with how it does that.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** Written, synced and renamed: a crash or a full volume leaves the old file or the new one. */
const WHOLE = [
  'packages/archive/src/folder-store.ts',
  'packages/chain-data/src/follow/segment-file.ts',
  'packages/signing/src/key-file.ts',
  'packages/evidence/src/transparency/store/published-folder.ts',
  'packages/evidence/src/commands/audit/recompute-state.ts',
  'packages/evidence/src/commands/audit/statement.ts',
  'packages/chain-data/src/worker/history-reading.ts',
]
/** The command or the refresh fails, says so, and is repeated: nothing else depends on the file. */
const TOLD = [
  'packages/archive/src/parquet/parquet-files.ts',
  'packages/labels/src/orders/run-orders.ts',
  'packages/labels/src/refresh/fetch-list.ts',
  'packages/command-line/src/answer-file.ts',
  'packages/operation/src/commands/support-bundle/write-bundle.ts',
]
/** Files of an installation on one machine, which its next start makes again or names. */
const LOCAL = [
  'packages/local-stack/src/child-process.ts',
  'packages/local-stack/src/folder.ts',
  'packages/local-stack/src/home.ts',
  'packages/local-stack/src/kafka-access.ts',
  'packages/local-stack/src/kafka-cluster.ts',
  'packages/local-stack/src/kafka.ts',
  'packages/local-stack/src/maven-jars.ts',
  'packages/local-stack/src/postgres.ts',
  'services/cli/src/start/demo-keys.ts',
]
/** Marks of tests. */
const TESTS = ['packages/kit/src/failpoints/index.ts']
/** Packages that run in tests and benchmarks only. */
const LEFT_OUT = /^packages\/(?:bench|system-tests|testkit)\/|\.(?:test|contract)\.ts$|\/generated\//

const WRITES =
  /\b(?:writeFile|writeFileSync|appendFile|appendFileSync|createWriteStream|copyFile|copyFileSync)\(|\bopen(?:Sync)?\([^)]*'(?:w|wx|a|ax|r\+)'/
/** These write what fits and tell it in what they return. */
const WRITES_A_PART = /\bwriteSync\(|\b(?:file|handle)\.write\(/
/** It writes until all is written. */
const LOOP =
  /for \(let at = 0; at < bytes\.length;\) at \+= \(await handle\.write\(bytes, at\)\)\.bytesWritten/

const writers = execFileSync('git', ['ls-files', 'packages/*/src/*.ts', 'services/*/src/*.ts'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && !LEFT_OUT.test(file))
  .map((file) => ({ file, text: readFileSync(file, 'utf8') }))
  .filter(({ text }) => WRITES.test(text))

test('every writer of files is listed with what a crash and a full volume leave of its file', () => {
  expect(writers.map(({ file }) => file)).toEqual([...WHOLE, ...TOLD, ...LOCAL, ...TESTS].sort())
})

test('a file that must be whole is synced before it is renamed', () => {
  const careless = writers.filter(
    ({ file, text }) =>
      WHOLE.includes(file) &&
      !(/sync\(|fsyncSync\(|flush: true/.test(text) && /rename(?:Sync)?\(/.test(text)),
  )
  expect(careless.map(({ file }) => file)).toEqual([])
})

test('no writer calls what may write a part of it', () => {
  const partly = writers.filter(({ file, text }) => {
    // Its own `write` of whole pages.
    const own = file === 'packages/chain-data/src/worker/history-reading.ts' ? /file\.write\(step/ : LOOP
    return WRITES_A_PART.test(text.replace(own, ''))
  })
  expect(partly.map(({ file }) => file)).toEqual([])
})
