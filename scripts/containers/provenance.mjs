// Prints the provenance of built images: an in-toto statement with a predicate of SLSA 1. It is not signed: the publisher signs it.
//
//   node scripts/containers/provenance.mjs IMAGE… > provenance.json
//
// NODE_IMAGE is the base that the build was given. The images carry their commit as a label (--build-arg REVISION=…).
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from '../setup.mjs'
import { docker } from './docker.mjs'

const REVISION = 'org.opencontainers.image.revision'
const VERSION = 'org.opencontainers.image.version'
const COMMIT = /^[0-9a-f]{40}$/
/** Files that pin the inputs of a build from outside of the commit. */
const PINS = ['pnpm-lock.yaml', 'deploy/kafka/jars.sha256']

/**
 * @param {readonly string[]} names Images of this engine, built from one commit.
 * @param {string} base The image that the build was given as NODE_IMAGE.
 * @returns The statement. Rejects if an image does not name its commit, or two images name different ones.
 */
export async function provenanceOf(names, base) {
  const images = await Promise.all(names.map(inspect))
  const commits = new Set(images.map(({ Config }) => Config.Labels?.[REVISION]))
  const [commit] = commits
  if (commits.size !== 1 || !COMMIT.test(commit))
    throw new Error(
      `Images of one commit, as their label ${REVISION} names it, are needed: ${names.join(', ')}.`,
    )
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: images.map(({ Id }, index) => ({ name: names[index], digest: digestOf(Id) })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'urn:cupel:dockerfile:1',
        externalParameters: { NODE_IMAGE: base, REVISION: commit, VERSION: images[0].Config.Labels[VERSION] },
        resolvedDependencies: [
          { name: 'source', digest: { gitCommit: commit } },
          { name: base, digest: digestOf((await inspect(base)).Id) },
          ...PINS.map((path) => ({ name: path, digest: { sha256: sha256Of(join(root, path)) } })),
        ],
      },
      runDetails: { builder: { id: 'urn:cupel:docker-buildx' } },
    },
  }
}

const inspect = async (name) => JSON.parse(await docker('image', 'inspect', name))[0]

const digestOf = (id) => ({ sha256: id.replace('sha256:', '') })

const sha256Of = (path) => createHash('sha256').update(readFileSync(path)).digest('hex')

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  console.log(
    JSON.stringify(
      await provenanceOf(process.argv.slice(2), process.env.NODE_IMAGE ?? 'node:24.22.3-trixie-slim'),
      null,
      2,
    ),
  )
