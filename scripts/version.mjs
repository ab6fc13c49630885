// The version of the product stands in package.json. Everything that shows it is written from there. Between two releases it is the next
// release with `-dev`, so that no unreleased code calls itself a release.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const textOf = (name) => readFileSync(join(root, name), 'utf8')

/** The places that show the version: a file, and what its first group is replaced in. */
const PLACES = [
  ...['packages', 'services'].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => [
      `${group}/${name}/package.json`,
      /^ {2}"version": "(.+)"/m,
    ]),
  ),
  ['packages/kit/src/service/release.ts', /^export const RELEASE = '(.+)'/m],
  ['packages/command-line/src/version.ts', /^export const VERSION = '(.+)'/m],
  ['packages/sdk-typescript/src/version.ts', /^export const version = '(.+)'/m],
  ['deploy/helm/cupel/Chart.yaml', /^(?:version|appVersion): (.+)$/gm],
  ['deploy/helm/first-report.yaml', /tag: ([\w.-]+)/g],
  ['docker-compose.yml', /\$\{CUPEL_VERSION:-(.+?)\}/g],
  ['docs/containers.md', /\bcupel\/[a-z]+:(\d[\w.-]*)/g],
  ['docs/kubernetes.md', /\bcupel\/(?:cupel|TARGET):(\d[\w.-]*)/g],
]
const PYTHON = ['packages/sdk-python/src/cupel/_version.py', /^version = "(.+)"/m]

export const productVersion = () => JSON.parse(textOf('package.json')).version

/** As Python packages write it (PEP 440). */
export const pythonVersion = (version) => version.replace('-dev', '.dev0')

/** The unreleased version after a release: `0.3.0-dev` after 0.2.0. */
export function versionAfter(release) {
  const [major, minor] = release.split('.').map(Number)
  return `${major}.${minor + 1}.0-dev`
}

/**
 * The expected content of every file that shows the version. Throws if a place is gone.
 * @returns {Record<string, string>}
 */
export function versionFiles(version = productVersion()) {
  return Object.fromEntries(
    [...PLACES.map((place) => [...place, version]), [...PYTHON, pythonVersion(version)]].map(
      ([name, place, shown]) => [name, withVersion(name, place, shown)],
    ),
  )
}

function withVersion(name, place, version) {
  const text = textOf(name)
  if (text.search(place) < 0) throw new Error(`${name} shows no version: change scripts/version.mjs with it`)
  return text.replace(place, (whole, shown) => whole.replace(shown, version))
}
