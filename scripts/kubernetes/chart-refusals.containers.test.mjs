// Tests which values the chart refuses, each with a sentence that names the value.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { noteSkip } from '@cupel/testkit'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { root } from '../setup.mjs'
import { render, toolsOrReason } from './chart.mjs'

const { tools, reason } = await toolsOrReason()
if (reason !== undefined) noteSkip(`refusals of the chart: ${reason}`)

const NODE = { ipBlock: { cidr: '10.9.0.7/32' } }
const settingNames = [
  ...readFileSync(join(root, 'docs/reference/settings.md'), 'utf8').matchAll(/^\| `((?:CUPEL|OTEL)_\w+)`/gm),
].map(([, name]) => name)

describe.skipIf(reason !== undefined)('the chart', () => {
  test.each([
    [{ scorer: { replica: 2 } }, 'replica'],
    [{ database: { url: 'postgres://u:p@db/cupel' } }, 'url'],
    [{ api: { baseUrl: 'https://user:password@cupel.example' } }, 'baseUrl'],
    [{ settings: { NODE_OPTIONS: '--inspect' } }, 'NODE_OPTIONS'],
    [{ trustedProxies: [] }, 'tls.existingSecret'],
    [{ kafka: { tls: { enabled: false } } }, 'kafka.insecure'],
    [{ kafka: { sasl: { existingSecret: '' } } }, 'kafka.sasl.existingSecret'],
    [{ keys: { recordsSecret: '' } }, 'keys.recordsSecret'],
    [{ keys: { checkpoints: '' } }, 'keys.checkpointsClaim'],
    [{ keys: { signingSecret: '' } }, 'keys.signingSecret'],
    [{ keys: { checkpointsClaim: 'claim' } }, 'not both'],
    [{ keys: { checkpoints: '/checkpoints' } }, 'checkpoints'],
    [{ objectStore: { existingSecret: '' } }, 'objectStore.existingSecret'],
    [{ objectStore: { accessKeyId: '' } }, 'objectStore.accessKeyId'],
    [{ objectStore: { reader: { accessKeyId: '' } } }, 'objectStore.reader.accessKeyId'],
    [{ objectStore: { reader: { existingSecret: '' } } }, 'objectStore.reader.existingSecret'],
    [{ networkPolicy: { objectStore: { to: [] } } }, 'networkPolicy.objectStore.to'],
    [{ registry: { existingSecret: '' } }, 'registry'],
    [{ settings: { CUPEL_KAFKA_BROKERS: 'other:9092' } }, 'CUPEL_KAFKA_BROKERS'],
    [{ scorer: { historiesClaim: 'histories' } }, 'scorer.chainDataSecret'],
    [{ web: { secret: '' } }, 'web.secret'],
    [{ ingress: { api: { host: '' } } }, 'ingress.api.host'],
    [{ install: { command: 'both' } }, 'command'],
    [{ networkPolicy: { database: { to: [] } } }, 'networkPolicy.database.to'],
    [{ networkPolicy: { kafka: { to: [] } } }, 'networkPolicy.kafka.to'],
    [{ networkPolicy: { registry: { to: [] } } }, 'networkPolicy.registry.to'],
    [{ networkPolicy: { dns: [] } }, 'networkPolicy.dns'],
    [{ networkPolicy: { outside: { ports: [] } } }, 'networkPolicy.outside.ports'],
    [{ followers: { ETH: { nodeSecret: 'eth-node' } } }, 'networkPolicy.nodes.to'],
    [
      { followers: { ETH: { nodeSecret: 'eth-node' } }, networkPolicy: { nodes: { ports: [], to: [NODE] } } },
      'nodes/ports',
    ],
    [{ telemetry: { endpoint: 'https://collector.tracing.svc:4318' } }, 'networkPolicy.collector.to'],
    [{ ledger: { existingSecret: 'ledger' } }, 'networkPolicy.clickhouse.to'],
  ])('refuses %o', async (values, word) => {
    await expect(render(tools, values)).rejects.toThrow(word)
  })

  test('refuses a follower without a user at the brokers', async () => {
    const users = parse(readFileSync(join(root, 'deploy/helm/users.yaml'), 'utf8'))
    delete users.kafka.sasl.users['ledger-follower']
    const follower = {
      followers: { ETH: { nodeSecret: 'eth-node' } },
      networkPolicy: { nodes: { to: [NODE] } },
    }
    await expect(render(tools, { ...users, ...follower })).rejects.toThrow('kafka.sasl.users.ledger-follower')
  })

  test('refuses a secret among the settings, whichever it is', async () => {
    const secrets = settingNames.filter((name) => settingNames.includes(`${name}_FILE`))
    expect(secrets.length).toBeGreaterThan(5)
    const { definitions } = JSON.parse(
      readFileSync(join(root, 'deploy/helm/cupel/values.schema.json'), 'utf8'),
    )
    const { pattern, not } = definitions.settings.propertyNames
    const isTaken = (name) => new RegExp(pattern).test(name) && !new RegExp(not.pattern).test(name)
    expect(secrets.filter(isTaken)).toEqual([])
    expect(isTaken('CUPEL_LABEL_LAG_LIMIT_MS')).toBe(true)
    await expect(render(tools, { settings: { CUPEL_WEB_SECRET: 'x'.repeat(32) } })).rejects.toThrow(
      'CUPEL_WEB_SECRET',
    )
  })
})
