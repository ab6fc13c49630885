// The image of an earlier release, made from its commit in the history.
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkOutRelease } from '../released-checkout.mjs'
import { root } from '../setup.mjs'
import { standIn } from './base-images.mjs'
import { docker } from './docker.mjs'

const STAND_INS = join(root, 'scripts', 'containers', 'stand-ins')

/** Resolves to the name of the image. */
export async function releasedImage(version) {
  const name = `cupel-test/released:${version}`
  const folder = mkdtempSync(join(tmpdir(), 'cupel-release-'))
  try {
    await checkOutRelease(version, folder)
    cpSync(join(STAND_INS, 'run-release.mjs'), join(folder, 'services', 'cli', 'dist', 'run-release.mjs'))
    await docker(
      ...['buildx', 'build', '--load', '--tag', name, '--file', join(STAND_INS, 'release.Dockerfile')],
      ...['--build-arg', `NODE_IMAGE=${await standIn('node', {})}`, folder],
    )
    return name
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
