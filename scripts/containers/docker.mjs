// Calls of docker for tests, and the images of this checkout.
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../setup.mjs'
import { standIn } from './base-images.mjs'

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024
/** Seconds that a container has to stop before docker kills it. */
export const STOP_SECONDS = 10

/** Returns the standard output of a call; rejects with docker's error message. */
export async function docker(...args) {
  try {
    const { stdout } = await promisify(execFile)('docker', args, { cwd: root, maxBuffer: MAX_OUTPUT_BYTES })
    return stdout
  } catch (error) {
    throw new Error(
      `docker ${args.slice(0, 2).join(' ')}: ${String(error.stderr ?? error.message).slice(-3_000)}`,
    )
  }
}

/**
 * Builds a target of the Dockerfile on the base of the tests, or on NODE_IMAGE if that is set.
 * @param {string} target
 * @param {{ tag?: string, again?: readonly string[], context?: string }} options `again`: stages that are rebuilt even if nothing has
 *   changed.
 * @returns {Promise<string>} the name of the image
 */
export async function buildImage(target, { tag = 'test', again = [], context = root } = {}) {
  const name = `cupel-test/${target}:${tag}`
  await docker(
    ...['buildx', 'build', '--load', '--target', target, '--tag', name, ...(await buildOptions())],
    ...['--build-arg', `VERSION=${JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version}`],
    ...(again.length > 0 ? ['--no-cache-filter', again.join()] : []),
    context,
  )
  return name
}

/** Options of a build: the base image at hand, and the certificate authorities to trust. */
export async function buildOptions() {
  const base = process.env.NODE_IMAGE ?? (await standIn('node', {}))
  return ['--build-arg', `NODE_IMAGE=${base}`, ...authority()]
}

/** The build trusts the same authorities as this machine: a network may intercept TLS with its own authority. */
function authority() {
  const { NODE_EXTRA_CA_CERTS, SSL_CERT_FILE } = process.env
  const files = [NODE_EXTRA_CA_CERTS, SSL_CERT_FILE, '/etc/ssl/certs/ca-certificates.crt']
  const file = files.find((each) => each !== undefined && existsSync(each))
  return file === undefined ? [] : ['--secret', `id=ca,src=${file}`]
}

/** Options of all our containers: they cannot write, have no capabilities and cannot gain any. */
export const RESTRICTED = ['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges:true']
