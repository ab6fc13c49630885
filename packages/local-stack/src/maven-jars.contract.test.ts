import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ensureKafkaPrograms } from './class-archives.js'
import { ensureKafkaJars } from './maven-jars.js'

/** Stand-ins for java, mvn and tar, so that the tests check when and how they are called. */
let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cupel-jars-'))
  await mkdir(join(folder, 'bin'))
  await writeFile(join(folder, 'pins'), `${EMPTY}  a.jar\n${EMPTY}  b.tar.gz\n`)
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
const places = (): { cacheDir: string; pinFile: string } => ({
  cacheDir: cacheDir(),
  pinFile: join(folder, 'pins'),
})
/** The SHA-256 of an empty input. */
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const calls = async (): Promise<number> => (await readLines(join(folder, 'calls'))).length
async function readLines(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8').catch(() => '')
  return text.split('\n').filter((line) => line !== '')
}

test('everything is fetched once, also by two who ask at the same time', async () => {
  const said: string[] = []
  const [one, other] = await Promise.all([
    ensureKafkaJars({ ...places(), onProgress: (sentence) => said.push(sentence) }),
    ensureKafkaJars(places()),
  ])
  expect(one).toEqual(other)
  expect(await calls()).toBe(2)
  expect(await ensureKafkaJars(places())).toEqual(one)
  expect(await calls()).toBe(2)
  expect(await readdir(one.kafkaLibs)).toContain('a.jar')
  const left = [
    ...(await readdir(join(cacheDir(), 'kafka'))),
    ...(await readdir(join(cacheDir(), 'registry'))),
  ]
  expect(left).toHaveLength(2)
})

test('a lock of a process that is gone holds nobody up', async () => {
  const first = await ensureKafkaJars(places())
  await rm(first.kafkaLibs, { recursive: true })
  await writeFile(`${first.kafkaLibs}.lock`, JSON.stringify({ pid: 2 ** 22 + 1, identity: 'of before' }))
  expect(await ensureKafkaJars(places())).toEqual(first)
  expect(await calls()).toBe(3)
})

test('what failed half way is not taken for whole', async () => {
  const good = await readScript('mvn')
  await program('mvn', 'echo "[ERROR] Could not transfer artifact" ; exit 1')
  await expect(ensureKafkaJars(places())).rejects.toMatchObject({
    code: 'download-failed',
    message: expect.stringContaining('Could not transfer artifact') as string,
  })
  await program('mvn', good)
  expect((await readdir((await ensureKafkaJars(places())).kafkaLibs)).length).toBeGreaterThan(0)
})

test.each([
  ['another content', `${EMPTY.replace('e', 'f')}  a.jar\n${EMPTY}  b.tar.gz\n`, /a\.jar/],
  ['a file that nobody pinned', `${EMPTY}  a.jar\n`, /b\.tar\.gz/],
])('%s is refused and not kept', async (_what, pins, name) => {
  await writeFile(join(folder, 'pins'), pins)
  const attempt = ensureKafkaJars(places())
  await expect(attempt).rejects.toMatchObject({ code: 'download-failed' })
  await expect(attempt).rejects.toThrow(name)
  expect(await readdir(join(cacheDir(), 'kafka'))).toEqual([])
})

test('every jar of the broker has a pin, and Maven checks what the repository says too', async () => {
  const pins = await readFile(new URL('../../../deploy/kafka/jars.sha256', import.meta.url), 'utf8')
  expect(pins).toMatch(/^([0-9a-f]{64} {2}[\w.-]+\.(?:jar|tar\.gz)\n)+$/)
  for (const name of [
    'kafka_2.13-4.3.1.jar',
    'log4j-core-2.26.1.jar',
    'apicurio-registry-app-3.0.9-all.tar.gz',
  ])
    expect(pins).toContain(`  ${name}\n`)
  await ensureKafkaJars(places())
  for (const line of await readLines(join(folder, 'calls'))) expect(line).toContain('--strict-checksums')
})

/** Earlier versions execute logged text (CVE-2021-44228 and its kin) or do not check the name of a TLS receiver (CVE-2025-68161). */
const LOG4J_FLOOR = [2, 25, 3]

test('log4j-core is without the faults that are known', async () => {
  const pins = await readFile(new URL('../../../deploy/kafka/jars.sha256', import.meta.url), 'utf8')
  const versions = [...pins.matchAll(/ {2}log4j-core-([\d.]+)\.jar$/gm)].map(([, text]) =>
    text!.split('.').map(Number),
  )
  expect(versions).toHaveLength(1)
  const at = versions[0]!.findIndex((part, index) => part !== LOG4J_FLOOR[index])
  expect(at === -1 || versions[0]![at]! > LOG4J_FLOOR[at]!).toBe(true)
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
  const attempt = ensureKafkaJars(places())
  await expect(attempt).rejects.toMatchObject({ code: 'java-missing' })
  await expect(attempt).rejects.toThrow(sentence)
})

test('without Maven the sentence says what to do, and with everything cached it is not missed', async () => {
  await ensureKafkaJars(places())
  await rm(join(folder, 'bin', 'mvn'))
  vi.stubEnv('PATH', join(folder, 'bin'))
  await writeFile(join(folder, 'bin', 'java'), `#!/bin/sh\necho 'openjdk version "21" 2023' >&2\n`)
  await chmod(join(folder, 'bin', 'java'), 0o755)
  await ensureKafkaJars(places())
  await expect(ensureKafkaJars({ ...places(), cacheDir: join(folder, 'empty') })).rejects.toThrow(
    /mvn cannot be run/,
  )
})

test('programs that cannot write their class archives are started without them, and do not try again', async () => {
  const said: string[] = []
  const onProgress = (sentence: string): void => void said.push(sentence)
  const jars = await ensureKafkaJars(places())
  // The stand-in for java starts no broker.
  expect(await ensureKafkaPrograms({ ...places(), onProgress })).toEqual(jars)
  expect(await ensureKafkaPrograms({ ...places(), onProgress })).toEqual(jars)
  expect(said).toEqual([expect.stringContaining('faster starts')])
})

test('a machine on which nothing can be prepared starts the programs without class archives', async () => {
  const jars = await ensureKafkaJars(places())
  vi.stubEnv('TMPDIR', join(folder, 'missing'))
  expect(await ensureKafkaPrograms(places())).toEqual(jars)
})
