// The images that are not built here, in every file that names one, and their digests:
//
//   node scripts/containers/foreign-images.mjs          lists them, and which have no digest
//   node scripts/containers/foreign-images.mjs --pin    reads the missing digests from the registry, and writes them into the files
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from '../setup.mjs'
import { docker } from './docker.mjs'

/** The files that name images: those of deployments, and those of the containers of tests. */
export const FILES = [
  'docker-compose.yml',
  '.env.example',
  'Dockerfile',
  'deploy/helm/cupel/values.yaml',
  'packages/testkit/src/kafka-containers.ts',
  'packages/testkit/src/postgres-container.ts',
]
/** A line of an image, and in it a name, a tag that begins with a number, and perhaps a digest. */
const LINE = /image|^FROM /i
const IMAGE =
  /\b((?:[a-z0-9]+(?:[._-][a-z0-9]+)*\/)*[a-z0-9]+(?:[._-][a-z0-9]+)*:v?\d[\w.-]*)(@sha256:[0-9a-f]{64}\b)?/g

/** Every mention of an image in a text, without those that are only the version of something else. */
export const imagesIn = (text) =>
  text
    .split('\n')
    .filter((line) => LINE.test(line))
    .flatMap((line) =>
      [...line.matchAll(IMAGE)].map(([, name, digest]) => ({ name, digest: digest ?? null })),
    )

const readHere = (file) => readFileSync(join(root, file), 'utf8')

export const foreignImages = (read = readHere) =>
  FILES.flatMap((file) => imagesIn(read(file)).map((image) => ({ file, ...image })))

/** Names and tags of images that some file names without a digest. `read`: the text of a file, of the checkout if absent. */
export const withoutDigest = (read = readHere) => [
  ...new Set(
    foreignImages(read)
      .filter(({ digest }) => digest === null)
      .map(({ name }) => name),
  ),
]

const MENTION =
  /^\s*(?:-\s*)?image:\s*["']?(\$\{\S+|[^\s"'#{[]+)|^FROM\s+(?:--\S+\s+)?(\S+)|^(?:ARG\s+|#\s*)?[A-Z_]+_IMAGE=(\S+)/
/** A variable, or an image of our own. */
const NOT_FOREIGN = /^\$\{?[A-Z_]+\}?$|^\$\{CUPEL_IMAGES\b/

/**
 * Mentions of images that nobody could pin: in a file that is not one of `FILES`, or without the number of a version.
 * `stages`: names of images that are built here.
 */
export const unpinnableIn = (file, text, stages) =>
  text.split('\n').flatMap((line) => {
    const value = MENTION.exec(line)
      ?.slice(1)
      .find((each) => each !== undefined)
    if (value === undefined || NOT_FOREIGN.test(value) || stages.includes(value)) return []
    return FILES.includes(file) && imagesIn(line).length === 1 ? [] : [`${file}: ${line.trim()}`]
  })

async function pin() {
  for (const name of withoutDigest()) {
    const said = await docker('buildx', 'imagetools', 'inspect', name, '--format', '{{.Manifest.Digest}}')
    const digest = said.trim()
    if (!/^sha256:[0-9a-f]{64}$/.test(digest)) throw new Error(`${name} has no digest: ${digest}`)
    for (const file of FILES) {
      const path = join(root, file)
      writeFileSync(
        path,
        readHere(file).replaceAll(IMAGE, (whole, found, known) =>
          found === name && known === undefined ? `${name}@${digest}` : whole,
        ),
      )
    }
    console.log(`${name}@${digest}`)
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  if (process.argv[2] === '--pin') await pin()
  else
    for (const { file, name, digest } of foreignImages())
      console.log(`${file}: ${name}${digest ?? ' (no digest)'}`)
}
