// Packs @cupel/sdk and checks the package:
//   node scripts/release-sdk-typescript.mjs                   what would be published; publishes nothing
//   node scripts/release-sdk-typescript.mjs --out DIR         the same, and keeps the tarball in DIR
//   node scripts/release-sdk-typescript.mjs --pack --out DIR  only packs
//   node scripts/release-sdk-typescript.mjs --publish         publishes, if the changelog dates the version
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const source = join(root, 'packages/sdk-typescript')
const PACKED = [
  'package.json',
  'src',
  'tsdown.config.mjs',
  'tsconfig.build.json',
  'README.md',
  'CHANGELOG.md',
]

const { values } = parseArgs({
  options: { out: { type: 'string' }, pack: { type: 'boolean' }, publish: { type: 'boolean' } },
})
const { version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'))
const folder = mkdtempSync(join(tmpdir(), 'cupel-sdk-release-'))
try {
  main()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function main() {
  if (values.publish) refuseUndated()
  const tarball = pack()
  if (!values.pack) {
    run(bin('publint'), ['run', tarball, '--strict'])
    run(bin('attw'), [tarball, '--no-emoji'])
    // Nobody who installs the package without a version gets an unreleased one.
    const tag = version.includes('-') ? 'next' : 'latest'
    run('npm', [
      'publish',
      tarball,
      '--access',
      'public',
      '--tag',
      tag,
      ...(values.publish ? [] : ['--dry-run']),
    ])
  }
  if (values.out !== undefined) {
    mkdirSync(values.out, { recursive: true })
    cpSync(tarball, join(values.out, `cupel-sdk-${version}.tgz`))
  }
  if (!values.publish) console.log(`@cupel/sdk ${version} is packed. Nothing was published.`)
}

/** Packs in a copy: the checkout stays unchanged and two runs do not collide. */
function pack() {
  for (const name of PACKED) cpSync(join(source, name), join(folder, name), { recursive: true })
  symlinkSync(join(source, 'node_modules'), join(folder, 'node_modules'))
  run('npm', ['pack', '--silent'])
  return join(folder, `cupel-sdk-${version}.tgz`)
}

function refuseUndated() {
  const changelog = readFileSync(join(source, 'CHANGELOG.md'), 'utf8')
  if (new RegExp(`^## ${version.replaceAll('.', '\\.')} \\(\\d{4}-\\d{2}-\\d{2}\\)$`, 'm').test(changelog))
    return
  throw new Error(`CHANGELOG.md of the SDK does not date ${version}.`)
}

function bin(name) {
  return join(source, 'node_modules/.bin', name)
}

function run(command, args) {
  const { status, error } = spawnSync(command, args, { cwd: folder, stdio: 'inherit' })
  if (error !== undefined) throw error
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with exit code ${status}.`)
}
