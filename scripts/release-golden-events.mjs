// Packs @cupel/golden-events: the samples of the public events in schemas/golden, with their schemas and releases.
//   node scripts/release-golden-events.mjs                   what would be published; publishes nothing
//   node scripts/release-golden-events.mjs --pack --out DIR  only packs, and keeps the tarball in DIR
//   node scripts/release-golden-events.mjs --publish         publishes the samples of a release
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const root = join(import.meta.dirname, '..')
const golden = join(root, 'schemas/golden')
const readJson = (name) => JSON.parse(readFileSync(join(root, name), 'utf8'))
const { values } = parseArgs({
  options: { out: { type: 'string' }, pack: { type: 'boolean' }, publish: { type: 'boolean' } },
})
const { version } = readJson('package.json')
const releases = readJson('releases.json')
const folder = mkdtempSync(join(tmpdir(), 'cupel-golden-'))
try {
  main()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function main() {
  const events = publicSamples()
  // The samples after the last release may change until it is cut.
  if (values.publish && events.some(({ release }) => release === null))
    throw new Error('Some samples belong to no release yet: cut it first (scripts/release.mjs).')
  cpSync(join(root, 'schemas/package'), folder, { recursive: true })
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ ...manifest, version }, null, 2)}\n`)
  writeFileSync(
    join(folder, 'events.json'),
    `${JSON.stringify({ releases: Object.keys(releases), events }, null, 2)}\n`,
  )
  for (const { type, sample } of events)
    for (const end of ['bin', 'avsc', 'json'])
      cpSync(join(golden, type, `${sample}.${end}`), join(folder, 'samples', type, `${sample}.${end}`))
  if (values.pack) run('npm', ['pack', '--silent'])
  else {
    // Nobody who installs the package without a version gets an unreleased one.
    const tag = version.includes('-') ? 'next' : 'latest'
    run('npm', ['publish', '--access', 'public', '--tag', tag, ...(values.publish ? [] : ['--dry-run'])])
  }
  if (values.pack && values.out !== undefined) {
    mkdirSync(values.out, { recursive: true })
    cpSync(
      join(folder, `cupel-golden-events-${version}.tgz`),
      join(values.out, `cupel-golden-events-${version}.tgz`),
    )
  }
  if (!values.publish) console.log(`@cupel/golden-events ${version} is packed. Nothing was published.`)
}

/** Samples in the order of each event's samples. Equal schemas share an id. */
function publicSamples() {
  const ids = new Map()
  return Object.values(readJson('schemas/subjects.json'))
    .filter(({ visibility }) => visibility === 'public')
    .flatMap(({ record: type, topic }) =>
      numbersOf(type).map((sample) => {
        const schema = readFileSync(join(golden, type, `${sample}.avsc`), 'utf8')
        if (!ids.has(schema)) ids.set(schema, ids.size + 1)
        return {
          type,
          sample,
          topic,
          release: releaseOf(`schemas/golden/${type}/${sample}.bin`),
          schemaId: ids.get(schema),
        }
      }),
    )
}

function numbersOf(type) {
  return readdirSync(join(golden, type))
    .filter((name) => name.endsWith('.bin'))
    .map((name) => Number.parseInt(name, 10))
    .sort((one, other) => one - other)
}

/** The first release that has the file; null if none has it. */
function releaseOf(file) {
  return Object.entries(releases).find(([, { files }]) => file in files)?.[0] ?? null
}

function run(command, args) {
  const { status, error } = spawnSync(command, args, { cwd: folder, stdio: 'inherit' })
  if (error !== undefined) throw error
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with exit code ${status}.`)
}
