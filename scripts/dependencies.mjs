// Lists the packages from the package registry, and fails on everything that dependencies.json does not allow.
//
//   npm run dependencies                every package: licence, install scripts, whether it runs in an installation
//   npm run dependencies -- --releases  the same, with age and last release of the direct ones, queried from the registry with npm;
//                                       a release younger than a week is a surprise too
//   npm run --silent dependencies -- --sbom    the bill of materials of the running product, CycloneDX 1.6 as JSON
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { surprises } from './dependencies/surprises.mjs'
import { idOf, readDependencies } from './dependencies/read.mjs'
import { billOfMaterials } from './dependencies/sbom.mjs'
import { orExplain, root, setUp } from './setup.mjs'

const DAY_MS = 86_400_000
/** Same as minimumReleaseAge of pnpm-workspace.yaml: a hijacked release is usually found within days. */
const YOUNGEST_DAYS = 7
/** A package without a release for this long needs a look. The list marks it, but it is not a failure. */
const QUIET_DAYS = 3 * 365

const { sbom, releases } = parseArgs({
  options: { sbom: { type: 'boolean' }, releases: { type: 'boolean' } },
}).values
await orExplain(() => setUp({ build: false }))
const dependencies = readDependencies(root)
if (sbom) {
  const jars = readFileSync(join(root, 'deploy/kafka/jars.sha256'), 'utf8')
  console.log(
    JSON.stringify(
      billOfMaterials(readJson('package.json'), dependencies, readJson('dependencies.json'), jars),
      null,
      2,
    ),
  )
} else {
  const found = surprises(dependencies, readJson('dependencies.json'))
  const times = releases ? await readTimes() : new Map()
  for (const dependency of dependencies) console.log(lineOf(dependency, times.get(idOf(dependency))))
  const young = [...times].filter(([, { ageDays }]) => ageDays < YOUNGEST_DAYS)
  for (const [id, { ageDays }] of young) found.push(`${id} was released ${ageDays} days ago.`)
  for (const sentence of found) console.log(`! ${sentence}`)
  console.log(`${dependencies.length} packages, ${found.length} surprises.`)
  process.exitCode = found.length === 0 ? 0 : 1
}

function lineOf(dependency, time) {
  const { licence, installScripts, isRuntime } = dependency
  const age =
    time &&
    `${time.ageDays} days old, last release ${time.lastDays} days ago${time.lastDays > QUIET_DAYS ? ' (quiet)' : ''}`
  return [
    idOf(dependency),
    licence ?? '(no licence)',
    isRuntime ? 'runs' : 'development',
    ...(installScripts.length > 0 ? [`install script: ${installScripts.join(', ')}`] : []),
    ...(age === undefined ? [] : [age]),
  ].join('  ')
}

/** Age of each direct dependency and days since the last release of its name. */
async function readTimes() {
  const times = new Map()
  for (const dependency of dependencies.filter(({ isDirect }) => isDirect)) {
    const { stdout } = await promisify(execFile)('npm', ['view', dependency.name, 'time', '--json'])
    const time = JSON.parse(stdout)
    const daysSince = (text) => Math.floor((Date.now() - Date.parse(text)) / DAY_MS)
    const released = Object.entries(time).filter(([name]) => name !== 'created' && name !== 'modified')
    times.set(idOf(dependency), {
      ageDays: daysSince(time[dependency.version]),
      lastDays: Math.min(...released.map(([, text]) => daysSince(text))),
    })
  }
  return times
}

function readJson(file) {
  return JSON.parse(readFileSync(join(root, file), 'utf8'))
}
