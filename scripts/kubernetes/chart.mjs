// Renders the chart for tests with helm and a file of values, and parses the result.
import { execFile, spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parseAllDocuments, stringify } from 'yaml'
import { root } from '../setup.mjs'
import { kubernetesTools, NoToolsError } from './tools.mjs'

export const CHART = join(root, 'deploy', 'helm', 'cupel')
export const FIRST_REPORT = join(root, 'deploy', 'helm', 'first-report.yaml')
const KUBERNETES_VERSION = '1.35.0'
const NAMESPACE = 'screening'
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024

/** Paths of tools that cannot be made. */
const NO_TOOLS = { helm: '', kubeconform: '', schemas: '' }

/**
 * The tools, or the reason why there are none. Under CI they must exist.
 * @returns {Promise<{ tools: typeof NO_TOOLS, reason?: string }>}
 */
export async function toolsOrReason() {
  try {
    return { tools: await kubernetesTools() }
  } catch (error) {
    if (!(error instanceof NoToolsError) || process.env.CI === 'true') throw error
    return { tools: NO_TOOLS, reason: error.message }
  }
}

/**
 * The manifests that helm renders from the values on top of deploy/helm/first-report.yaml. Rejects with the output of helm.
 * @param {{ helm: string }} tools
 * @param {object} values
 * @param {{ isUpgrade?: boolean, chart?: string }} options
 */
export async function render({ helm }, values = {}, { isUpgrade = false, chart = CHART } = {}) {
  const args = ['template', 'cupel', chart, '--namespace', NAMESPACE, '--kube-version', KUBERNETES_VERSION]
  if (isUpgrade) args.push('--is-upgrade')
  const text = await withInput(helm, [...args, '--values', FIRST_REPORT, '--values', '-'], stringify(values))
  const documents = parseAllDocuments(text).map((document) => document.toJS())
  return { text, manifests: documents.filter((document) => document !== null) }
}

/** What helm tells the operator after an installation. `helm template` leaves it out, so that a copy of the chart renders it as a manifest. */
export async function notes({ helm }, values = {}) {
  const copy = mkdtempSync(join(tmpdir(), 'cupel-chart-'))
  try {
    cpSync(CHART, copy, { recursive: true })
    const text = readFileSync(join(copy, 'templates/NOTES.txt'), 'utf8')
    writeFileSync(join(copy, 'templates/_notes.tpl'), `{{ define "notes" }}${text}{{ end }}`)
    writeFileSync(join(copy, 'templates/notes.yaml'), 'kind: Notes\ntext: {{ include "notes" . | quote }}\n')
    const { manifests } = await render({ helm }, values, { chart: copy })
    return ofKind(manifests, 'Notes')[0].text
  } finally {
    rmSync(copy, { recursive: true })
  }
}

/** Output of `helm lint --strict`; rejects if it finds a fault. */
export async function lint({ helm }) {
  const { stdout } = await promisify(execFile)(helm, [
    ...['lint', CHART, '--strict', '--kube-version', KUBERNETES_VERSION, '--values', FIRST_REPORT],
  ])
  return stdout
}

/** Validates manifests with the schemas of their kinds; a kind without a schema is a fault too. */
export async function validate({ kubeconform, schemas }, text) {
  const location = join(schemas, '{{ .ResourceKind }}{{ .KindSuffix }}.json')
  return await withInput(kubeconform, ['-strict', '-schema-location', location, '-'], text)
}

export const ofKind = (manifests, kind) => manifests.filter((each) => each.kind === kind)

/** All objects that create pods, with the specification of the pod. */
export const podsOf = (manifests) =>
  [...ofKind(manifests, 'Deployment'), ...ofKind(manifests, 'Job')].map((each) => ({
    name: each.metadata.labels['app.kubernetes.io/component'],
    labels: each.spec.template.metadata.labels,
    pod: each.spec.template.spec,
    container: each.spec.template.spec.containers[0],
  }))

export const environmentOf = ({ container }) =>
  Object.fromEntries(container.env.map(({ name, value }) => [name, value]))

function withInput(command, args, input) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] })
    let [output, complaint] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text) => (output += text))
    child.stderr.setEncoding('utf8').on('data', (text) => (complaint += text))
    child.once('error', reject)
    child.once('close', (code) =>
      code === 0 ? resolve(output) : reject(new Error(`${output}${complaint}`.slice(-MAX_OUTPUT_BYTES))),
    )
    // A program that rejects its arguments does not read its input.
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
  })
}
