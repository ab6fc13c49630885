import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ensureKafkaJars } from './maven-jars.js'

/** Stand-ins for java, mvn and tar, so that what is tested is when and how they are called. */
let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cupel-jars-'))
  await mkdir(join(folder, 'bin'))
  vi.stubEnv('PATH', [join(folder, 'bin'), process.env['PATH']].join(delimiter))
  vi.stubEnv('JAVA_HOME', undefined)
  await program('java', `echo 'openjdk version "17.0.15" 2025-04-15' >&2`)
  await program('tar', 'touch unpacked.jar')
  await program(
    'mvn',
    `echo "$@" >> ${folder}/calls
     sleep 0.3
     for argument in "$@"; do case $argument in -DoutputDirectory=*) out=\${argument#*=};; esac; done
     touch "$out/a.jar" "$out/b.tar.gz"`,
  )
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(folder, { recursive: true, force: true })
})

async function program(name: string, script: string): Promise<void> {
  const path = join(folder, 'bin', name)
  await writeFile(path, `#!/bin/sh\n${script}\n`)
  await chmod(path, 0o755)
}
const cacheDir = (): string => join(folder, 'cache')
const calls = async (): Promise<number> => (await readLines(join(folder, 'calls'))).length
async function readLines(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8').catch(() => '')
  return text.split('\n').filter((line) => line !== '')
}

test('everything is fetched once, also by two who ask at the same time', async () => {
  const said: string[] = []
  const [one, other] = await Promise.all([
    ensureKafkaJars({ cacheDir: cacheDir(), onProgress: (sentence) => said.push(sentence) }),
    ensureKafkaJars({ cacheDir: cacheDir() }),
  ])
  expect(one).toEqual(other)
  expect(await calls()).toBe(2)
  expect(await ensureKafkaJars({ cacheDir: cacheDir() })).toEqual(one)
  expect(await calls()).toBe(2)
  expect(await readdir(one.kafkaLibs)).toContain('a.jar')
  const left = [
    ...(await readdir(join(cacheDir(), 'kafka'))),
    ...(await readdir(join(cacheDir(), 'registry'))),
  ]
  expect(left).toHaveLength(2)
})

test('a lock of a process that is gone holds nobody up', async () => {
  const first = await ensureKafkaJars({ cacheDir: cacheDir() })
  await rm(first.kafkaLibs, { recursive: true })
  await writeFile(`${first.kafkaLibs}.lock`, JSON.stringify({ pid: 2 ** 22 + 1, identity: 'of before' }))
  expect(await ensureKafkaJars({ cacheDir: cacheDir() })).toEqual(first)
  expect(await calls()).toBe(3)
})

test('what failed half way is not taken for whole', async () => {
  const good = await readScript('mvn')
  await program('mvn', 'echo "[ERROR] Could not transfer artifact" ; exit 1')
  await expect(ensureKafkaJars({ cacheDir: cacheDir() })).rejects.toMatchObject({
    code: 'download-failed',
    message: expect.stringContaining('Could not transfer artifact') as string,
  })
  await program('mvn', good)
  expect((await readdir((await ensureKafkaJars({ cacheDir: cacheDir() })).kafkaLibs)).length).toBeGreaterThan(
    0,
  )
})

async function readScript(name: string): Promise<string> {
  return (await readFile(join(folder, 'bin', name), 'utf8')).replace('#!/bin/sh\n', '')
}

test.each([
  ['is too old', `echo 'java version "1.8.0_392"' >&2`, /needs Java 17 or newer, and java is Java 8:/],
  ['is older than needed', `echo 'openjdk version "11.0.2" 2019-01-15' >&2`, /and java is Java 11:/],
  ['cannot be run', 'exit 1', /java cannot be run/],
])('a Java that %s is told in a sentence', async (_what, script, sentence) => {
  await program('java', script)
  const attempt = ensureKafkaJars({ cacheDir: cacheDir() })
  await expect(attempt).rejects.toMatchObject({ code: 'java-missing' })
  await expect(attempt).rejects.toThrow(sentence)
})

test('without Maven the sentence says what to do, and with everything cached it is not missed', async () => {
  await ensureKafkaJars({ cacheDir: cacheDir() })
  await rm(join(folder, 'bin', 'mvn'))
  vi.stubEnv('PATH', join(folder, 'bin'))
  await writeFile(join(folder, 'bin', 'java'), `#!/bin/sh\necho 'openjdk version "21" 2023' >&2\n`)
  await chmod(join(folder, 'bin', 'java'), 0o755)
  await ensureKafkaJars({ cacheDir: cacheDir() })
  await expect(ensureKafkaJars({ cacheDir: join(folder, 'empty') })).rejects.toThrow(/mvn cannot be run/)
})
