// Tests which manifests the chart makes from values.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { noteSkip } from '@cupel/testkit'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { root } from '../setup.mjs'
import { productVersion } from '../version.mjs'
import {
  environmentOf,
  FIRST_REPORT,
  lint,
  ofKind,
  podsOf,
  render,
  toolsOrReason,
  validate,
} from './chart.mjs'

const { tools, reason } = await toolsOrReason()
if (reason !== undefined) noteSkip(`the chart: ${reason}`)

const SERVICES = ['api', 'scorer', 'projector', 'bulk-coordinator', 'webhook-dispatcher', 'web']
const ALL = [...SERVICES, 'scorer-bulk', 'label-refresher', 'follower-eth', 'install', 'operator'].sort()
const scaled = { enabled: true, minReplicas: 2, maxReplicas: 4, targetLagRecords: 100 }
/** Every option at once. */
const EVERYTHING = {
  image: { digests: { api: `sha256:${'a'.repeat(64)}` }, pullSecrets: ['pull'] },
  kafka: {
    tls: { certificateSecret: 'client' },
    sasl: { users: { scorer: { username: 'cupel-scorer', existingSecret: 'scorer-user' } } },
  },
  registry: { caSecret: 'registry-ca' },
  objectStore: { caSecret: 'store-ca' },
  ledger: { existingSecret: 'clickhouse' },
  keys: { webhooksSecret: 'webhooks' },
  tls: { existingSecret: 'tls' },
  settings: { CUPEL_LABEL_LAG_LIMIT_MS: 20_000 },
  podAnnotations: { team: 'screening' },
  nodeSelector: { disk: 'ssd' },
  tolerations: [{ key: 'own', operator: 'Exists' }],
  priorityClassName: 'high',
  api: { settings: { CUPEL_PDF_WORKERS: 2 } },
  scorer: { chainDataSecret: 'chains', autoscaling: scaled },
  scorerBulk: { enabled: true, autoscaling: scaled },
  projector: { autoscaling: scaled, witnessesConfigMap: 'witnesses' },
  labelRefresher: { enabled: true, planConfigMap: 'plan' },
  followers: { ETH: { nodeSecret: 'eth-node', arguments: ['--from', '0'] } },
  web: { oidcSecret: 'oidc' },
  networkPolicy: {
    nodes: { to: [{ ipBlock: { cidr: '10.9.0.7/32' } }] },
    clickhouse: { to: [{ ipBlock: { cidr: '10.9.0.9/32' } }] },
    scrapers: [{ namespaceSelector: { matchLabels: { name: 'monitoring' } } }],
  },
  monitoring: {
    podMonitor: { enabled: true },
    alerts: { rules: readFileSync(join(root, 'deploy/observability/alerts.yml'), 'utf8') },
    boards: { enabled: true },
    prometheusUrl: 'http://prometheus.monitoring.svc:9090',
  },
}
const settingNames = [
  ...readFileSync(join(root, 'docs/reference/settings.md'), 'utf8').matchAll(/^\| `((?:CUPEL|OTEL)_\w+)`/gm),
].map(([, name]) => name)

const mebibytes = (quantity) => {
  const [, amount, unit] = /^(\d+)(Mi|Gi)$/.exec(quantity) ?? []
  return Number(amount) * (unit === 'Gi' ? 1_024 : 1)
}

describe.skipIf(reason !== undefined)('the chart', () => {
  const partOf = async (values, name) =>
    podsOf((await render(tools, values)).manifests).find((each) => each.name === name)

  test('is of the version of the product', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const chart = parse(readFileSync(join(root, 'deploy/helm/cupel/Chart.yaml'), 'utf8'))
    expect(chart).toMatchObject({ version, appVersion: version })
    expect(parse(readFileSync(FIRST_REPORT, 'utf8')).image.tag).toBe(version)
  })

  test('passes helm lint, and its manifests the strict schemas of Kubernetes, KEDA and the Prometheus operator', async () => {
    expect(await lint(tools)).toContain('0 chart(s) failed')
    const without = {
      web: { enabled: false },
      networkPolicy: { enabled: false },
      ingress: { enabled: false },
    }
    for (const values of [{}, EVERYTHING, { ...without, install: { enabled: false } }])
      await validate(tools, (await render(tools, values)).text)
    const { text } = await render(tools)
    await expect(
      validate(tools, text.replace('readOnlyRootFilesystem', 'readOnlyRootFileSystem')),
    ).rejects.toThrow('readOnlyRootFileSystem')
  })

  test('gives every container limits, no right, no token and nothing to write but its volumes', async () => {
    const parts = podsOf((await render(tools, EVERYTHING)).manifests)
    expect(parts.map(({ name }) => name).sort()).toEqual(ALL)
    for (const { name, pod, container } of parts) {
      expect(pod.containers, name).toHaveLength(1)
      expect(pod, name).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, runAsUser: 10001, seccompProfile: { type: 'RuntimeDefault' } },
      })
      expect([pod.hostNetwork, pod.hostPID, pod.hostIPC], name).toEqual([undefined, undefined, undefined])
      expect(container.securityContext, name).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        privileged: false,
        capabilities: { drop: ['ALL'] },
      })
      for (const amount of ['requests', 'limits'])
        expect(Object.keys(container.resources[amount]).sort(), name).toEqual([
          'cpu',
          'ephemeral-storage',
          'memory',
        ])
      // A full volume is refused by itself; a limit below it would end the pod before that.
      const data = pod.volumes.find((volume) => volume.name === 'data')
      expect(mebibytes(container.resources.limits['ephemeral-storage']), name).toBeGreaterThan(
        mebibytes(data.emptyDir.sizeLimit),
      )
      expect(container.image, name).toMatch(
        /^registry\.example\/cupel\/[a-z-]+:[^:@]+(@sha256:[0-9a-f]{64})?$/,
      )
      const kinds = pod.volumes.map((volume) => Object.keys(volume).find((key) => key !== 'name'))
      for (const kind of kinds)
        expect(['emptyDir', 'secret', 'configMap', 'persistentVolumeClaim'], name).toContain(kind)
      for (const { mountPath, readOnly } of container.volumeMounts)
        if (!['/data', '/checkpoints'].includes(mountPath))
          expect(readOnly, `${name} ${mountPath}`).toBe(true)
    }
    const api = parts.find(({ name }) => name === 'api')
    expect(api?.container.image).toContain(`/api:${productVersion()}@sha256:${'a'.repeat(64)}`)
  })

  test('shows each service the secrets that it reads, and no secret in a variable', async () => {
    const { manifests } = await render(tools, EVERYTHING)
    expect(ofKind(manifests, 'Secret')).toEqual([])
    const shown = Object.fromEntries(
      podsOf(manifests).map(({ name, pod }) => [
        name,
        pod.volumes
          .filter(({ secret }) => secret !== undefined)
          .map((each) => each.name)
          .sort(),
      ]),
    )
    const log = ['database', 'kafka', 'kafka-ca', 'kafka-certificate', 'ledger', 'record-keys']
    const operator = [
      ...log,
      'operator',
      'registry',
      'registry-ca',
      'object-store',
      'object-store-ca',
      'signing-keys',
      'personal-data-keys',
      'webhook-keys',
    ]
    const expected = {
      api: [...log, 'personal-data-keys', 'signing-keys', 'webhook-keys', 'oidc', 'tls', 'web'],
      scorer: [...log, 'chain-data', 'signing-keys'],
      'scorer-bulk': [...log, 'chain-data', 'signing-keys'],
      projector: [...log, 'object-store', 'object-store-ca', 'signing-keys'],
      'bulk-coordinator': [...log, 'signing-keys'],
      'webhook-dispatcher': [...log, 'personal-data-keys', 'webhook-keys'],
      'label-refresher': log,
      'follower-eth': [...log, 'node'],
      web: ['oidc', 'tls', 'web'],
      install: operator,
      operator,
    }
    for (const names of Object.values(expected)) names.sort()
    expect(shown).toEqual(expected)
    // Secrets with keys for several readers show each reader its own key.
    for (const { name, pod } of podsOf(manifests))
      for (const { name: volume, secret } of pod.volumes)
        if (/keys$|^(?:kafka|ledger|object-store)$/.test(volume))
          expect(secret.items, `${name} ${volume}`).toHaveLength(1)
    const [scorer] = podsOf(manifests).filter(({ name }) => name === 'scorer')
    expect(environmentOf(scorer).CUPEL_KAFKA_USERNAME).toBe('cupel-scorer')
  })

  test('sets what the product reads, and every file that it names is in a volume', async () => {
    for (const { name, container, ...rest } of podsOf((await render(tools, EVERYTHING)).manifests)) {
      for (const { name: setting, value, valueFrom } of container.env) {
        expect(settingNames, `${name} ${setting}`).toContain(setting)
        // Every secret is a file: a variable is shown to whoever may describe the pod.
        expect(valueFrom, setting).toBeUndefined()
        expect(value, setting).not.toMatch(/:\/\/[^/]*@/)
      }
      const environment = environmentOf({ container, ...rest })
      // Pods of a service are equal, and two processes with the same number cannot run.
      const isNumbered = !['web', 'install', 'operator'].includes(name)
      expect(environment.CUPEL_INSTANCE, name).toBe(isNumbered ? 'auto' : undefined)
      for (const [setting, value] of Object.entries(environment))
        if (/_(FILE|FOLDER)$/.test(setting) && !value.startsWith('s3://'))
          expect(
            container.volumeMounts.some(({ mountPath }) => value.startsWith(`${mountPath}`)),
            `${name} ${setting}=${value}`,
          ).toBe(true)
    }
    expect((await partOf(EVERYTHING, 'scorer'))?.container.env).toContainEqual({
      name: 'CUPEL_LABEL_LAG_LIMIT_MS',
      value: '20000',
    })
  })

  test('probes the process for life and its work for readiness, and ends it within the time it is granted', async () => {
    for (const part of podsOf((await render(tools, { shutdownSeconds: 40, drainSeconds: 7 })).manifests)) {
      const { name, pod, container } = part
      if (!SERVICES.includes(name)) continue
      expect(container.livenessProbe.httpGet, name).toEqual({ path: '/healthz', port: 'metrics' })
      expect(container.readinessProbe.httpGet, name).toEqual({ path: '/readyz', port: 'metrics' })
      expect(container.ports, name).toContainEqual({ name: 'metrics', containerPort: 9464 })
      const { CUPEL_SHUTDOWN_TIMEOUT_MS: shutdown, CUPEL_DRAIN_MS: drain } = environmentOf(part)
      expect([shutdown, drain], name).toEqual(['40000', ['api', 'web'].includes(name) ? '7000' : undefined])
      expect(pod.terminationGracePeriodSeconds * 1_000, name).toBeGreaterThan(Number(shutdown))
      // The cluster stops sending calls before the drain ends.
      const { periodSeconds, failureThreshold } = container.readinessProbe
      expect(periodSeconds * failureThreshold, name).toBeLessThanOrEqual(10)
    }
    await expect(render(tools, { shutdownSeconds: 20, drainSeconds: 15 })).rejects.toThrow('drainSeconds')
  })

  test('keeps an instance of each service through drains and failures of a node', async () => {
    const { manifests } = await render(tools)
    for (const { name, labels, pod } of podsOf(manifests).filter(({ name }) => SERVICES.includes(name))) {
      const budgets = ofKind(manifests, 'PodDisruptionBudget').filter(
        ({ spec }) => spec.selector.matchLabels['app.kubernetes.io/component'] === name,
      )
      expect(
        budgets.map(({ spec }) => spec.maxUnavailable),
        name,
      ).toEqual([1])
      expect(
        pod.topologySpreadConstraints.map(({ topologyKey }) => topologyKey),
        name,
      ).toEqual(['topology.kubernetes.io/zone', 'kubernetes.io/hostname'])
      for (const { labelSelector } of pod.topologySpreadConstraints)
        expect(labels, name).toMatchObject(labelSelector.matchLabels)
    }
  })

  test('denies every flow but the named ones', async () => {
    const { manifests } = await render(tools, EVERYTHING)
    const policies = Object.fromEntries(
      ofKind(manifests, 'NetworkPolicy').map(({ metadata, spec }) => [metadata.name, spec]),
    )
    const all = { 'app.kubernetes.io/name': 'cupel', 'app.kubernetes.io/instance': 'cupel' }
    expect(policies['cupel-nothing-else']).toEqual({
      podSelector: { matchLabels: all },
      policyTypes: ['Ingress', 'Egress'],
    })
    for (const { labels } of podsOf(manifests)) expect(labels).toMatchObject(all)
    /** Services to which a policy gives a flow. */
    const of = (name) => {
      const { matchLabels, matchExpressions } = policies[name].podSelector
      const component = matchLabels['app.kubernetes.io/component']
      return component === undefined ? (matchExpressions?.[0].values ?? ['all']) : [component]
    }
    expect(Object.fromEntries(Object.keys(policies).map((name) => [name, of(name).sort()]))).toEqual({
      'cupel-nothing-else': ['all'],
      'cupel-all-to-dns': ['all'],
      'cupel-services-to-data': ALL.filter((name) => name !== 'web'),
      'cupel-operators-to-registry': ['install', 'operator'],
      'cupel-projectors-to-object-store': ['install', 'operator', 'projector'],
      'cupel-services-to-clickhouse': ALL.filter((name) => name !== 'web'),
      'cupel-followers-to-nodes': ['follower-eth'],
      'cupel-some-to-outside': [
        'api',
        'label-refresher',
        'projector',
        'scorer',
        'scorer-bulk',
        'web',
        'webhook-dispatcher',
      ],
      'cupel-callers-to-api': ['api'],
      'cupel-callers-to-web': ['web'],
      'cupel-web-to-api': ['web'],
      'cupel-scrapers-to-metrics': ['all'],
    })
    for (const [name, { ingress, egress }] of Object.entries(policies)) {
      if (name === 'cupel-nothing-else') continue
      for (const rule of [...(ingress ?? []), ...(egress ?? [])])
        expect(rule.ports.length, name).toBeGreaterThan(0)
      for (const rule of ingress ?? []) expect(rule.from.length, name).toBeGreaterThan(0)
    }
    const policiesOf = async (values) => ofKind((await render(tools, values)).manifests, 'NetworkPolicy')
    const outside = (await policiesOf({})).find(({ metadata }) => metadata.name === 'cupel-some-to-outside')
    expect(outside.spec.podSelector.matchExpressions[0].values).not.toContain('projector')
    const [internet] = policies['cupel-some-to-outside'].egress[0].to
    expect(internet.ipBlock.except).toContain('169.254.0.0/16')
    // If no caller is named, no calls are allowed.
    const none = await policiesOf({ networkPolicy: { callers: [] } })
    const names = none.map(({ metadata }) => metadata.name)
    expect(names).not.toContain('cupel-callers-to-web')
    expect(names).not.toContain('cupel-scrapers-to-metrics')
    expect(none.find(({ metadata }) => metadata.name === 'cupel-callers-to-api').spec.ingress).toHaveLength(1)
  })

  test('installs before the services begin, with nothing of the release that does not exist yet', async () => {
    const { manifests } = await render(tools)
    const [job] = ofKind(manifests, 'Job')
    expect(job.metadata.annotations['helm.sh/hook']).toBe('pre-install,pre-upgrade')
    const { pod, container } = podsOf([job])[0]
    expect(container.args[0]).toBe('install')
    const account = ofKind(manifests, 'ServiceAccount').find(
      ({ metadata }) => metadata.name === pod.serviceAccountName,
    )
    expect(account.metadata.annotations['helm.sh/hook']).toBe('pre-install,pre-upgrade')
    expect(Number(account.metadata.annotations['helm.sh/hook-weight'])).toBeLessThan(
      Number(job.metadata.annotations['helm.sh/hook-weight']),
    )
    expect(pod.volumes.filter(({ configMap }) => configMap !== undefined)).toEqual([])
  })

  test('upgrades what is there: an upgrade begins no other installation', async () => {
    const argumentsBy = async (options, values = {}) => {
      const { manifests } = await render(tools, values, options)
      return podsOf(ofKind(manifests, 'Job'))[0].container.args
    }
    expect(await argumentsBy({ isUpgrade: false })).toEqual([
      'install',
      ...['--screen-partitions', '32', '--report-partitions', '64'],
    ])
    expect(await argumentsBy({ isUpgrade: true })).toEqual(['upgrade'])
    // A tool that only renders the chart never says that it is an upgrade.
    expect(await argumentsBy({ isUpgrade: false }, { install: { command: 'upgrade' } })).toEqual(['upgrade'])
    expect((await argumentsBy({ isUpgrade: true }, { install: { command: 'install' } }))[0]).toBe('install')
  })

  test('scales by processor and by lag, never beyond the partitions', async () => {
    const { manifests } = await render(tools, EVERYTHING)
    const [api] = ofKind(manifests, 'HorizontalPodAutoscaler')
    expect(api.spec).toMatchObject({ scaleTargetRef: { name: 'cupel-api' }, maxReplicas: 8 })
    const queries = Object.fromEntries(
      ofKind(manifests, 'ScaledObject').map(({ metadata, spec }) => [
        metadata.name,
        spec.triggers[0].metadata.query,
      ]),
    )
    expect(queries).toEqual({
      'cupel-scorer':
        'sum(cupel_scorer_lag_records{lane=~"interactive",namespace="screening",pod=~"cupel-scorer-.*"})',
      'cupel-scorer-bulk':
        'sum(cupel_scorer_lag_records{lane="bulk",namespace="screening",pod=~"cupel-scorer-bulk-.*"})',
      'cupel-projector':
        'max(sum by (read_model) (cupel_projection_lag_records{namespace="screening",pod=~"cupel-projector-.*"}))',
    })
    for (const { name, replicas } of ofKind(manifests, 'Deployment').map(({ metadata, spec }) => ({
      name: metadata.name,
      replicas: spec.replicas,
    })))
      expect(replicas === undefined, name).toBe(name in queries || name === 'cupel-api')
    const { monitoring } = EVERYTHING
    const most = (maxReplicas) => ({ autoscaling: { ...scaled, maxReplicas } })
    await render(tools, { monitoring, scorer: most(32), projector: { replicas: 64 } })
    for (const values of [{ scorer: most(33) }, { scorerBulk: { enabled: true, replicas: 33 } }])
      await expect(render(tools, { monitoring, ...values })).rejects.toThrow('partitions.screen is 32')
    await expect(render(tools, { projector: { replicas: 65 } })).rejects.toThrow('partitions.reports is 64')
    // The partitions of an installation of an earlier release.
    const partitions = { screen: 4, reports: 16 }
    await expect(render(tools, { partitions, scorer: { replicas: 5 } })).rejects.toThrow(
      'partitions.screen is 4',
    )
    await expect(render(tools, { partitions: { reports: 48 } })).rejects.toThrow('reports')
    await expect(render(tools, { scorer: { autoscaling: scaled } })).rejects.toThrow(
      'monitoring.prometheusUrl',
    )
  })

  test('has the alerts and boards of the product', async () => {
    const { manifests } = await render(tools, EVERYTHING)
    const folder = join(root, 'deploy/observability')
    const [rule] = ofKind(manifests, 'PrometheusRule')
    expect(rule.spec.groups).toEqual(parse(readFileSync(join(folder, 'alerts.yml'), 'utf8')).groups)
    const boards = ofKind(manifests, 'ConfigMap').flatMap(({ data }) => Object.entries(data))
    expect(boards.sort()).toEqual(
      readdirSync(join(folder, 'boards'))
        .map((file) => [`cupel-${file}`, readFileSync(join(folder, 'boards', file), 'utf8')])
        .sort(),
    )
    const [monitor] = ofKind(manifests, 'PodMonitor')
    expect(monitor.spec.podMetricsEndpoints[0].relabelings).toContainEqual({
      targetLabel: 'job',
      replacement: 'cupel',
      action: 'replace',
    })
  })
})
