// Builds the Python package cupel and checks it:
//   node scripts/release-sdk-python.mjs                    what would be published; publishes nothing
//   node scripts/release-sdk-python.mjs --out DIR          the same, and keeps sdist and wheel in DIR
//   node scripts/release-sdk-python.mjs --publish          publishes with twine, if the changelog dates the version
//   … --python PATH                                        a Python that has build and hatchling; default python3
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { matched } from './matched.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const source = join(root, 'packages/sdk-python')
const PACKED = ['pyproject.toml', 'src', 'README.md', 'CHANGELOG.md']

const { values } = parseArgs({
  options: {
    out: { type: 'string' },
    publish: { type: 'boolean' },
    python: { type: 'string', default: 'python3' },
  },
})
const [, version] = matched(/version = "(.+)"/, readFileSync(join(source, 'src/cupel/_version.py'), 'utf8'))
const folder = mkdtempSync(join(tmpdir(), 'cupel-sdk-release-'))
try {
  main()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function main() {
  if (values.publish) refuseUndated()
  const built = build()
  console.log(`built ${built.join(' and ')}`)
  if (values.out !== undefined) {
    mkdirSync(values.out, { recursive: true })
    for (const name of built) cpSync(join(folder, 'dist', name), join(values.out, name))
  }
  if (values.publish)
    run(values.python, ['-m', 'twine', 'upload', ...built.map((name) => join('dist', name))])
  else console.log(`cupel ${version} is built. Nothing was published.`)
}

/** Builds in a copy: the checkout stays unchanged and two runs do not collide. It makes the wheel from the sdist, as pip would. */
function build() {
  const filter = (path) => !path.endsWith('__pycache__')
  for (const name of PACKED) cpSync(join(source, name), join(folder, name), { recursive: true, filter })
  run(values.python, ['-m', 'build', '--no-isolation', '--outdir', 'dist'])
  const built = readdirSync(join(folder, 'dist')).sort()
  const wanted = [`cupel-${version}-py3-none-any.whl`, `cupel-${version}.tar.gz`]
  if (built.join() !== wanted.join()) throw new Error(`The build made ${built.join(', ')}.`)
  return built
}

function refuseUndated() {
  const changelog = readFileSync(join(source, 'CHANGELOG.md'), 'utf8')
  if (new RegExp(`^## ${version.replaceAll('.', '\\.')} \\(\\d{4}-\\d{2}-\\d{2}\\)$`, 'm').test(changelog))
    return
  throw new Error(`CHANGELOG.md of the SDK does not date ${version}.`)
}

function run(command, args) {
  const { status, error } = spawnSync(command, args, { cwd: folder, stdio: 'inherit' })
  if (error !== undefined) throw error
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with exit code ${status}.`)
}
