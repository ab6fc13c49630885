// Stands in for a cluster when a test follows docs/kubernetes.md. It provides `kubectl` and `helm` as the page calls them, and stores their
// output in the folder CLUSTER as files, which the test runs as containers. It refuses every other call.
import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const PROGRAMS = ['kubectl', 'helm', 'sudo']
const EXECUTABLE = 0o755
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024
const KUBERNETES_VERSION = '1.35.0'

/** Files in the folder CLUSTER. */
export const MANIFESTS = 'manifests.yaml'
export const OBJECTS = 'objects.yaml'
export const SECRETS = 'secrets'
export const JOURNAL = 'journal'

/**
 * Makes the folder, and the programs in a folder for PATH.
 * @param {string} cluster
 * @param {{ helm: string, prefix: string }} means The real helm, and the prefix of container names.
 * @returns {Record<string, string>} The environment of a shell that has the programs.
 */
export function prepareCluster(cluster, { helm, prefix }) {
  const bin = join(cluster, 'bin')
  mkdirSync(bin, { recursive: true })
  mkdirSync(join(cluster, SECRETS))
  const program = fileURLToPath(import.meta.url)
  for (const name of PROGRAMS) {
    const file = join(bin, name)
    writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${program}' ${name} "$@"\n`)
    chmodSync(file, EXECUTABLE)
  }
  const means = { CLUSTER: cluster, CLUSTER_HELM: helm, CLUSTER_PREFIX: prefix }
  return { ...means, PATH: `${bin}:${process.env.PATH}`, USER: 'root' }
}

/** A variable of the environment that prepareCluster returned. */
function setting(name) {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set.`)
  return value
}

/** Whether the arguments begin with these words; `*` stands for any word. */
const matches = (args, ...words) =>
  words.every((word, index) => args[index] === word || (word === '*' && args[index] !== undefined))

function kubectl(args) {
  const [cluster, prefix] = [setting('CLUSTER'), setting('CLUSTER_PREFIX')]
  const isNoted =
    (matches(args, 'create', 'namespace', '*') && args.length === 3) ||
    (matches(args, 'label', 'namespace', '*', '*') && args.length === 4) ||
    (matches(args, 'config', 'set-context', '--current', '--namespace', '*') && args.length === 5)
  if (isNoted) return appendFileSync(join(cluster, JOURNAL), `${args.join(' ')}\n`)
  if (matches(args, 'create', 'secret', 'generic', '*')) return createSecret(cluster, args[3], args.slice(4))
  if (matches(args, 'apply', '-f', '-') && args.length === 3)
    return appendFileSync(join(cluster, OBJECTS), `---\n${readFileSync(0, 'utf8')}`)
  const [, component] = /^deployment\/cupel-([a-z-]+)$/.exec(args[1]) ?? []
  if (matches(args, 'exec', '*', '--', '*') && component !== undefined)
    return execFileSync('docker', ['exec', `${prefix}-${component}`, ...args.slice(3)], { stdio: 'inherit' })
  throw new Error(`The tests do not know: kubectl ${args.join(' ')}`)
}

function createSecret(cluster, name, sources) {
  const folder = join(cluster, SECRETS, name)
  mkdirSync(folder)
  for (let index = 0; index < sources.length; index += 2) {
    const [flag, source] = [sources[index], sources[index + 1]]
    const end = source.indexOf('=')
    if (flag === '--from-file')
      copyFileSync(source.slice(end + 1), join(folder, end === -1 ? basename(source) : source.slice(0, end)))
    else if (flag === '--from-literal' && end > 0)
      writeFileSync(join(folder, source.slice(0, end)), source.slice(end + 1))
    else throw new Error(`The tests do not know: kubectl create secret … ${flag} ${source}`)
  }
}

/** Stores the manifests that the real helm renders from the same release, chart and values. */
function helm(args) {
  const [cluster, program] = [setting('CLUSTER'), setting('CLUSTER_HELM')]
  const [verb, release, chart, flag, values, ...rest] = args
  const isKnown =
    ['install', 'upgrade'].includes(verb) &&
    flag === '--values' &&
    /^--wait( --timeout \d+m)?$/.test(rest.join(' '))
  if (!isKnown) throw new Error(`The tests do not know: helm ${args.join(' ')}`)
  const options = ['--namespace', 'cupel', '--kube-version', KUBERNETES_VERSION, '--values', values]
  if (verb === 'upgrade') options.push('--is-upgrade')
  const text = execFileSync(program, ['template', release, chart, ...options], {
    encoding: 'utf8',
    maxBuffer: MAX_OUTPUT_BYTES,
  })
  writeFileSync(join(cluster, MANIFESTS), text)
}

const sudo = ([command, ...args]) => execFileSync(command, args, { stdio: 'inherit' })

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [name, ...args] = process.argv.slice(2)
  try {
    ;({ kubectl, helm, sudo })[name](args)
  } catch (error) {
    console.error(error.message)
    process.exitCode = 1
  }
}
