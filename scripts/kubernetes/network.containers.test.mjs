// Evaluates the network policies of the chart for every pair of pods and addresses, and tests what scales each deployment.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { noteSkip } from '@cupel/testkit'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { root } from '../setup.mjs'
import { environmentOf, ofKind, podsOf, render, toolsOrReason, validate } from './chart.mjs'
import { isAllowed } from './network-flows.mjs'

const { tools, reason } = await toolsOrReason()
if (reason !== undefined) noteSkip(`network policies of the chart: ${reason}`)

const NAMESPACE = 'screening'
const inNamespace = (name) => ({
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } },
})
const scaled = { enabled: true, minReplicas: 2, maxReplicas: 4, targetLagRecords: 100 }
/** Every component, and every peer named as closely as the chart lets an operator name it. */
const VALUES = {
  scorer: { chainDataSecret: 'chains', autoscaling: scaled },
  scorerBulk: { enabled: true, autoscaling: scaled },
  projector: { autoscaling: scaled },
  labelRefresher: { enabled: true, planConfigMap: 'plan' },
  web: { oidcSecret: 'oidc' },
  networkPolicy: {
    database: { port: 5432, to: [{ ipBlock: { cidr: '10.9.0.5/32' } }] },
    kafka: { port: 9093, to: [inNamespace('data')] },
    registry: { port: 8443, to: [inNamespace('data')] },
    objectStore: { port: 9000, to: [{ ipBlock: { cidr: '10.9.0.8/32' } }] },
    collector: { port: 4318, to: [inNamespace('tracing')] },
    clickhouse: { port: 9440, to: [{ ipBlock: { cidr: '10.9.0.9/32' } }] },
    callers: [inNamespace('ingress-nginx')],
    scrapers: [inNamespace('monitoring')],
  },
  ledger: { existingSecret: 'ledger' },
  telemetry: {
    ...{ endpoint: 'https://collector.tracing.svc:4318', sampleRatio: 0.5, logs: true },
    headersSecret: 'collector',
  },
  monitoring: { prometheusUrl: 'http://prometheus.monitoring.svc:9090' },
}
const ELSEWHERE = {
  dns: { namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } },
  kafka: { namespace: 'data', labels: { app: 'kafka' } },
  ingress: { namespace: 'ingress-nginx', labels: {} },
  prometheus: { namespace: 'monitoring', labels: {} },
  collector: { namespace: 'tracing', labels: {} },
  neighbour: { namespace: NAMESPACE, labels: { app: 'another' } },
  stranger: { namespace: 'default', labels: { 'app.kubernetes.io/name': 'cupel' } },
  database: { ip: '10.9.0.5' },
  private: { ip: '10.9.0.6' },
  clickhouse: { ip: '10.9.0.9' },
  store: { ip: '10.9.0.8' },
  metadata: { ip: '169.254.169.254' },
  internet: { ip: '203.0.113.7' },
  internet6: { ip: '2606:4700::1111' },
}
/** @type {{ port: number, protocol?: string }[]} */
const PORTS = [
  { port: 53, protocol: 'UDP' },
  ...[22, 53, 80, 443, 4318, 5432, 8080, 8081, 8443, 9000, 9092, 9093, 9440, 9464].map((port) => ({ port })),
]

/** Every allowed flow as `from to port`, and no other. */
function declaredFlows(components, serving) {
  const onLog = components.filter((name) => name !== 'web')
  const outside = ['api', 'scorer', 'scorer-bulk', 'webhook-dispatcher', 'label-refresher', 'web']
  return new Set([
    ...components.flatMap((name) => [`${name} dns 53/UDP`, `${name} dns 53/TCP`]),
    ...onLog.flatMap((name) => [
      `${name} database 5432/TCP`,
      `${name} kafka 9093/TCP`,
      `${name} clickhouse 9440/TCP`,
    ]),
    ...['install', 'operator'].map((name) => `${name} kafka 8443/TCP`),
    ...['install', 'operator', 'projector'].map((name) => `${name} store 9000/TCP`),
    ...outside.flatMap((name) =>
      ['internet', 'internet6'].flatMap((to) => [`${name} ${to} 443/TCP`, `${name} ${to} 8443/TCP`]),
    ),
    ...['ingress api 8080/TCP', 'ingress web 8081/TCP', 'web api 8080/TCP'],
    ...serving.map((name) => `${name} collector 4318/TCP`),
    ...serving.map((name) => `prometheus ${name} 9464/TCP`),
  ])
}

function actualFlows(manifests) {
  const policies = ofKind(manifests, 'NetworkPolicy').map((policy) => ({
    ...policy,
    metadata: { ...policy.metadata, namespace: policy.metadata.namespace ?? NAMESPACE },
  }))
  const own = Object.fromEntries(
    podsOf(manifests).map(({ name, labels, container }) => [
      name,
      {
        namespace: NAMESPACE,
        labels,
        ports: Object.fromEntries((container.ports ?? []).map((each) => [each.name, each.containerPort])),
      },
    ]),
  )
  const ends = Object.entries({ ...own, ...ELSEWHERE })
  const flows = new Set()
  for (const [from, source] of ends)
    for (const [to, target] of ends)
      for (const on of PORTS)
        if ((from in own || to in own) && isAllowed(policies, source, target, on))
          flows.add(`${from} ${to} ${on.port}/${on.protocol ?? 'TCP'}`)
  return { own, flows }
}

describe.skipIf(reason !== undefined)('the chart', () => {
  test('allows each declared flow, and denies every other pair of pods and addresses on every port', async () => {
    const { manifests, text } = await render(tools, VALUES)
    await validate(tools, text)
    const { own, flows } = actualFlows(manifests)
    const components = Object.keys(own)
    expect(components).toHaveLength(10)
    const serving = Object.keys(own).filter((name) => own[name].ports.metrics !== undefined)
    expect([...flows].sort()).toEqual([...declaredFlows(components, serving)].sort())
  })

  test('lets a service reach only the named ranges of its peers', async () => {
    const { manifests, text } = await render(tools, {
      ...VALUES,
      networkPolicy: {
        ...VALUES.networkPolicy,
        outside: { to: { scorer: [`${ELSEWHERE.internet.ip}/32`], 'webhook-dispatcher': [] } },
      },
    })
    await validate(tools, text)
    const flows = [...actualFlows(manifests).flows]
    expect(flows).toContain('scorer internet 443/TCP')
    expect(flows).not.toContain('scorer internet6 443/TCP')
    expect(flows.filter((flow) => flow.startsWith('webhook-dispatcher internet'))).toEqual([])
    expect(flows).toContain('api internet6 443/TCP')
  })

  test('lets nobody in where no caller and no scraper is named', async () => {
    const values = { networkPolicy: { ...VALUES.networkPolicy, callers: [], scrapers: [] } }
    const { own, flows } = actualFlows((await render(tools, values)).manifests)
    const into = [...flows].filter((flow) => flow.split(' ')[1] in own)
    expect(into).toEqual(['web api 8080/TCP'])
  })

  test('gives every pod of the log the address of ClickHouse from a Secret, and nobody without one', async () => {
    const settingsOf = async (values) =>
      podsOf((await render(tools, values)).manifests).map((part) => [
        part.name,
        Object.fromEntries(Object.entries(environmentOf(part)).filter(([name]) => /_LEDGER_/.test(name))),
        part.container.volumeMounts.some(({ mountPath }) => mountPath === '/secrets/ledger'),
      ])
    const told = { CUPEL_LEDGER_URL_FILE: '/secrets/ledger/ledger-url', CUPEL_LEDGER_INSECURE: 'false' }
    for (const [name, settings, hasFile] of await settingsOf(VALUES)) {
      expect(settings, name).toEqual(name === 'web' ? {} : told)
      expect(hasFile, name).toBe(name !== 'web')
    }
    const without = await settingsOf({ ...VALUES, ledger: {} })
    expect(without.every(([, settings, hasFile]) => Object.keys(settings).length === 0 && !hasFile)).toBe(
      true,
    )
  })

  test('sends traces and log lines where the values say so, with a token from a file, and nowhere by itself', async () => {
    const settingsOf = async (values) =>
      podsOf((await render(tools, values)).manifests).map((part) => [
        part.name,
        Object.fromEntries(
          Object.entries(environmentOf(part)).filter(([name]) => /^OTEL_|_OTLP_/.test(name)),
        ),
        part.container.volumeMounts.some(({ mountPath }) => mountPath === '/secrets/telemetry'),
      ])
    for (const [name, settings, hasToken] of await settingsOf(VALUES)) {
      const isService = !['install', 'operator'].includes(name)
      expect(hasToken, name).toBe(isService)
      expect(settings, name).toEqual(
        isService
          ? {
              OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.tracing.svc:4318',
              OTEL_EXPORTER_OTLP_HEADERS_FILE: '/secrets/telemetry/headers',
              OTEL_LOGS_EXPORTER: 'otlp',
              OTEL_TRACES_SAMPLER_ARG: '0.5',
              CUPEL_OTLP_INSECURE: 'false',
            }
          : {},
      )
    }
    const without = await settingsOf({ ...VALUES, telemetry: {} })
    expect(without.every(([, settings, hasToken]) => Object.keys(settings).length === 0 && !hasToken)).toBe(
      true,
    )
    await expect(render(tools, { telemetry: { endpoint: 'collector:4318' } })).rejects.toThrow('endpoint')
  })

  test('asks for a lag that the product measures, and scales no further than there are partitions', async () => {
    const { manifests } = await render(tools, VALUES)
    const { partitions } = parse(readFileSync(join(root, 'deploy/helm/cupel/values.yaml'), 'utf8'))
    const most = {
      'cupel-scorer': partitions.screen,
      'cupel-scorer-bulk': partitions.screen,
      'cupel-projector': partitions.reports,
    }
    const scaling = ofKind(manifests, 'ScaledObject')
    expect(scaling.map(({ metadata }) => metadata.name).sort()).toEqual(Object.keys(most).sort())
    for (const { metadata, spec } of scaling) {
      expect(spec.maxReplicaCount, metadata.name).toBeLessThanOrEqual(most[metadata.name])
      // A Prometheus scaler needs a query that returns one number.
      expect(spec.triggers[0].metadata.query, metadata.name).toMatch(/^(sum|max)\(/)
      expect(Number(spec.triggers[0].metadata.threshold), metadata.name).toBeGreaterThan(0)
      expect(spec.fallback.replicas, metadata.name).toBe(spec.maxReplicaCount)
    }
  })

  test('scales what is there, and within bounds that leave an instance to a drain', async () => {
    const { manifests } = await render(tools, VALUES)
    const deployments = new Map(ofKind(manifests, 'Deployment').map((each) => [each.metadata.name, each]))
    const bounds = [
      ...ofKind(manifests, 'HorizontalPodAutoscaler').map(({ spec }) => [
        spec.scaleTargetRef,
        spec.minReplicas,
        spec.maxReplicas,
      ]),
      ...ofKind(manifests, 'ScaledObject').map(({ spec }) => [
        { kind: 'Deployment', apiVersion: 'apps/v1', ...spec.scaleTargetRef },
        spec.minReplicaCount,
        spec.maxReplicaCount,
      ]),
    ]
    expect(bounds).toHaveLength(4)
    for (const [target, least, most] of bounds) {
      const deployment = deployments.get(target.name)
      expect(deployment, target.name).toMatchObject({ kind: target.kind, apiVersion: target.apiVersion })
      // A second number of instances would conflict with the scaler.
      expect(deployment.spec.replicas, target.name).toBeUndefined()
      const budgets = ofKind(manifests, 'PodDisruptionBudget').filter(({ spec }) =>
        Object.entries(spec.selector.matchLabels).every(
          ([key, value]) => deployment.spec.template.metadata.labels[key] === value,
        ),
      )
      expect(budgets, target.name).toHaveLength(1)
      expect(least, target.name).toBeGreaterThan(budgets[0].spec.maxUnavailable)
      expect(most, target.name).toBeGreaterThanOrEqual(least)
      // A share of the processor is a share of the requested amount.
      expect(deployment.spec.template.spec.containers[0].resources.requests.cpu, target.name).toBeDefined()
    }
  })
})
