// Makes the files of a release in a folder, and signs them, for scripts/release.mjs.
// The key is an Ed25519 private key in PEM, which only the maintainer has. The folder then holds the sources of the commit of the release,
// the package of the command line, the bill of materials, the provenance (an in-toto statement), SHA256SUMS of these, and its signature. Anybody checks them with
//   openssl pkeyutl -verify -pubin -inkey PUBLIC.pem -rawin -in SHA256SUMS -sigfile SHA256SUMS.sig && sha256sum --check SHA256SUMS
import { execFileSync } from 'node:child_process'
import { createHash, createPrivateKey, sign } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packCli } from './release-cli.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const SUMS = 'SHA256SUMS'

const sha256Of = (bytes) => createHash('sha256').update(bytes).digest('hex')

/**
 * What was built from what, in the form of SLSA 1.0.
 * @param {{ version: string, commit: string, digests: Readonly<Record<string, string>> }} release
 */
export function provenanceOf({ version, commit, digests }) {
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: Object.entries(digests).map(([name, sha256]) => ({ name, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'https://slsa.dev/provenance/v1#git-archive',
        externalParameters: { version },
        resolvedDependencies: [{ name: 'cupel', digest: { gitCommit: commit } }],
      },
      runDetails: { builder: { id: 'scripts/release-files.mjs', version: { node: process.versions.node } } },
    },
  }
}

/**
 * Writes the files with their sums and the signature of the sums.
 * @param {string} folder
 * @param {{ version: string, commit: string }} release
 * @param {Readonly<Record<string, Buffer>>} files
 * @param {string} keyPem
 */
export function writeSigned(folder, release, files, keyPem) {
  const key = createPrivateKey(keyPem)
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('The key of a release is an Ed25519 key')
  const digests = Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, sha256Of(bytes)]))
  const provenance = Buffer.from(`${JSON.stringify(provenanceOf({ ...release, digests }), null, 2)}\n`)
  const all = { ...files, 'provenance.json': provenance }
  const sums = Object.entries(all)
    .map(([name, bytes]) => `${sha256Of(bytes)}  ${name}\n`)
    .join('')
  mkdirSync(folder, { recursive: true })
  for (const [name, bytes] of Object.entries(all)) writeFileSync(join(folder, name), bytes)
  writeFileSync(join(folder, SUMS), sums)
  writeFileSync(join(folder, `${SUMS}.sig`), sign(null, Buffer.from(sums), key))
}

const MAX_OUTPUT_BYTES = 1_073_741_824

/**
 * Makes the files of a release from a commit, and signs them.
 * @param {{ version: string, commit: string }} release
 * @param {string} folder
 * @param {string} keyFile
 */
export async function makeReleaseFiles({ version, commit }, folder, keyFile) {
  const output = { cwd: root, maxBuffer: MAX_OUTPUT_BYTES }
  const prefix = `cupel-${version}`
  const archive = execFileSync('git', ['archive', '--format=tar.gz', `--prefix=${prefix}/`, commit], output)
  const bill = execFileSync(process.execPath, [join(root, 'scripts/dependencies.mjs'), '--sbom'], output)
  const files = { [`${prefix}.tar.gz`]: archive, ...(await cliFile()), 'sbom.cdx.json': bill }
  writeSigned(folder, { version, commit }, files, readFileSync(keyFile, 'utf8'))
}

async function cliFile() {
  const folder = mkdtempSync(join(tmpdir(), 'cupel-release-cli-'))
  try {
    const tarball = await packCli(folder)
    return { [basename(tarball)]: readFileSync(tarball) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
