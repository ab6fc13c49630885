// Builds once, from their modules, the tools that check the chart: helm, kubeconform and the schemas of the kinds that the chart makes.
//
//   node scripts/kubernetes/tools.mjs
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { root } from '../setup.mjs'
import { strict, withoutReferences } from './strict-schema.mjs'

const run = promisify(execFile)
const CACHE = join(root, '.cache', 'kubernetes')
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024
const ATTEMPTS = 5
const PAUSE_MS = 10_000

/** Go checks each module against its public log of hashes. */
const PROGRAMS = {
  helm: { module: 'helm.sh/helm/v3', command: 'cmd/helm', version: 'v3.22.0' },
  kubeconform: { module: 'github.com/yannh/kubeconform', command: 'cmd/kubeconform', version: 'v0.8.0' },
}
/** Locations of the schemas in the modules that define them. */
const KUBERNETES = { module: 'k8s.io/kubernetes', version: 'v1.35.2' }
const CUSTOM = [
  {
    module: 'github.com/kedacore/keda/v2',
    version: 'v2.21.0',
    files: ['config/crd/bases/keda.sh_scaledobjects.yaml'],
  },
  {
    module: 'github.com/prometheus-operator/prometheus-operator',
    version: 'v0.85.0',
    files: ['podmonitors', 'prometheusrules'].map(
      (name) => `example/prometheus-operator-crd/monitoring.coreos.com_${name}.yaml`,
    ),
  },
]
/** Kinds of the chart, by API version. */
const KINDS = {
  v1: ['ConfigMap', 'Pod', 'Service', 'ServiceAccount'],
  'apps/v1': ['Deployment'],
  'autoscaling/v2': ['HorizontalPodAutoscaler'],
  'batch/v1': ['Job'],
  'networking.k8s.io/v1': ['Ingress', 'NetworkPolicy'],
  'policy/v1': ['PodDisruptionBudget'],
}

export class NoToolsError extends Error {}

/**
 * Resolves to the paths of helm, kubeconform and the folder of schemas. It takes minutes the first time and no time later. Two processes
 * at once are safe: each renames its result into place.
 */
export async function kubernetesTools() {
  try {
    await run('go', ['version'])
  } catch {
    throw new NoToolsError('Go is not installed: helm and kubeconform are built with it.')
  }
  return {
    helm: await program(PROGRAMS.helm),
    kubeconform: await program(PROGRAMS.kubeconform),
    schemas: await schemas(),
  }
}

async function program({ module, command, version }) {
  const name = command.slice('cmd/'.length)
  const path = join(CACHE, `${name}-${version}`)
  if (!existsSync(path))
    await inDraft(async (draft) => {
      await go(['install', '-trimpath', '-ldflags=-s -w', `${module}/${command}@${version}`], {
        GOBIN: draft,
        GOFLAGS: '-buildvcs=false',
      })
      renameSync(join(draft, name), path)
    })
  return path
}

async function schemas() {
  const folder = join(
    CACHE,
    `schemas-${KUBERNETES.version}-${CUSTOM.map(({ version }) => version).join('-')}`,
  )
  if (existsSync(folder)) return folder
  await inDraft(async (draft) => {
    const made = join(draft, 'schemas')
    mkdirSync(made)
    const api = JSON.parse(
      readFileSync(join(await moduleFolder(KUBERNETES), 'api/openapi-spec/swagger.json'), 'utf8'),
    )
    for (const [apiVersion, kinds] of Object.entries(KINDS))
      for (const kind of kinds) write(made, { apiVersion, kind }, kindOf(api.definitions, apiVersion, kind))
    for (const { files, ...module } of CUSTOM)
      for (const file of files) {
        const { spec } = parse(readFileSync(join(await moduleFolder(module), file), 'utf8'))
        for (const { name, schema } of spec.versions)
          write(
            made,
            { apiVersion: `${spec.group}/${name}`, kind: spec.names.kind },
            strict(schema.openAPIV3Schema),
          )
      }
    try {
      renameSync(made, folder)
    } catch (error) {
      // Another process was faster.
      if (!existsSync(folder)) throw error
    }
  })
  return folder
}

function kindOf(definitions, apiVersion, kind) {
  const [version, group = ''] = apiVersion.split('/').reverse()
  const name = Object.keys(definitions).find((each) =>
    definitions[each]['x-kubernetes-group-version-kind']?.some(
      (one) => one.group === group && one.version === version && one.kind === kind,
    ),
  )
  return withoutReferences(definitions, name)
}

/** Writes a schema under the name that kubeconform looks up. Kubeconform knows a group by its first word. */
function write(folder, { apiVersion, kind }, schema) {
  const [version, group] = apiVersion.split('/').reverse()
  const suffix = group === undefined ? version : `${group.split('.')[0]}-${version}`
  writeFileSync(join(folder, `${kind.toLowerCase()}-${suffix}.json`), JSON.stringify(schema))
}

async function moduleFolder({ module, version }) {
  return JSON.parse(await go(['mod', 'download', '-json', `${module}@${version}`], {})).Dir
}

/** Retries: a registry that does not answer now may answer soon. */
async function go(args, environment) {
  for (let attempt = 1; ; attempt += 1)
    try {
      const { stdout } = await run('go', args, {
        cwd: CACHE,
        maxBuffer: MAX_OUTPUT_BYTES,
        env: { ...process.env, GOWORK: 'off', ...environment },
      })
      return stdout
    } catch (error) {
      if (attempt === ATTEMPTS) throw error
      await sleep(PAUSE_MS)
    }
}

/** @param {(draft: string) => Promise<void>} work */
async function inDraft(work) {
  mkdirSync(CACHE, { recursive: true })
  const draft = mkdtempSync(join(CACHE, 'draft-'))
  try {
    await work(draft)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  console.log(dirname((await kubernetesTools()).helm))
