// Tests which secrets the chart gives to whom, and what it tells the operator about open values.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { noteSkip } from '@cupel/testkit'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { secretOf, settingsReadBy } from '../containers/read-settings.mjs'
import { root } from '../setup.mjs'
import { environmentOf, notes, podsOf, render, toolsOrReason } from './chart.mjs'

const { tools, reason } = await toolsOrReason()
if (reason !== undefined) noteSkip(`secrets of the chart: ${reason}`)

const EVERY_SECRET = {
  kafka: { tls: { certificateSecret: 'client' } },
  keys: { webhooksSecret: 'webhooks' },
  tls: { existingSecret: 'tls' },
  scorer: { chainDataSecret: 'chains' },
  scorerBulk: { enabled: true },
  labelRefresher: { enabled: true, planConfigMap: 'plan' },
  web: { oidcSecret: 'oidc' },
}

describe.skipIf(reason !== undefined)('the chart', () => {
  test('gives a service no secret that its program does not read', async () => {
    const parts = podsOf((await render(tools, EVERY_SECRET)).manifests)
    for (const part of parts.filter(({ name }) => !['install', 'operator'].includes(name))) {
      const read = settingsReadBy(part.container.image.replace(/^.*\/([a-z-]+):.*$/, '$1'))
      const given = Object.entries(environmentOf(part)).filter(([, value]) => value.startsWith('/secrets/'))
      expect(given.length, part.name).toBeGreaterThan(0)
      for (const [setting] of given) expect(read, `${part.name} ${setting}`).toContain(secretOf(setting))
      // Each of its Secrets is that of a setting.
      for (const { mountPath } of part.container.volumeMounts)
        if (mountPath.startsWith('/secrets/'))
          expect(
            given.some(([, value]) => value.startsWith(`${mountPath}/`)),
            `${part.name} ${mountPath}`,
          ).toBe(true)
    }
  })

  test('tells the operator what the values leave open, and of closed ones nothing', async () => {
    const open = await notes(tools, { networkPolicy: { openEgress: true, database: { to: [] } } })
    for (const said of [
      'networkPolicy.database.to is empty',
      'networkPolicy.outside.to.scorer is not set: it reaches every public address',
      'database.users has no user of its own for api, scorer, projector, bulk-coordinator, webhook-dispatcher',
      'kafka.sasl.users has no user of its own for api, scorer',
      'trustedProxies has 10.244.0.0/16',
    ])
      expect(open).toContain(said)
    const components = ['api', 'scorer', 'projector', 'bulk-coordinator', 'webhook-dispatcher']
    const ofEach = (make) => Object.fromEntries(components.map((name) => [name, make(name)]))
    const to = [{ ipBlock: { cidr: '10.9.0.5/32' } }]
    const closed = await notes(tools, {
      trustedProxies: ['10.9.0.9/32'],
      database: { users: ofEach((name) => `database-${name}`) },
      kafka: { sasl: { users: ofEach((name) => ({ username: name, existingSecret: name })) } },
      networkPolicy: {
        ...{ database: { port: 5432, to }, kafka: { port: 9092, to }, registry: { port: 443, to } },
        outside: { to: { scorer: [], 'webhook-dispatcher': [] } },
      },
    })
    expect(closed).not.toMatch(/is empty|is not set|of its own|trustedProxies/)
  })

  test('gives operators the key of the bucket that reads, and projectors the one that writes', async () => {
    const { manifests } = await render(tools)
    const keyOf = (part) => [
      environmentOf(part).CUPEL_S3_ACCESS_KEY_ID,
      part.pod.volumes.find(({ name }) => name === 'object-store').secret.secretName,
    ]
    const holders = podsOf(manifests).filter((part) => 'CUPEL_S3_ACCESS_KEY_ID' in environmentOf(part))
    const reader = ['cupel-operators', 'cupel-object-store-reader']
    expect(Object.fromEntries(holders.map((part) => [part.name, keyOf(part)]))).toEqual({
      ...{ install: reader, operator: reader },
      projector: ['cupel-projectors', 'cupel-object-store'],
    })
  })

  test('gives each service a user of its own by the file of the page, and shows it to no other', async () => {
    const users = {
      ...parse(readFileSync(join(root, 'deploy/helm/users.yaml'), 'utf8')),
      labelRefresher: { enabled: true },
      followers: { ETH: { nodeSecret: 'eth-node' } },
      networkPolicy: { nodes: { to: [{ ipBlock: { cidr: '10.9.0.7/32' } }] } },
    }
    expect(await notes(tools, users)).not.toContain('of its own')
    const parts = podsOf((await render(tools, users)).manifests).filter(({ name }) => name !== 'web')
    for (const { name, pod, ...part } of parts) {
      const other = { install: 'operator', 'follower-eth': 'ledger-follower' }
      const user = other[name] ?? name
      const shownIn = (volume) => pod.volumes.find((each) => each.name === volume)?.secret.secretName
      expect(shownIn('kafka'), name).toBe(`cupel-kafka-${user}`)
      expect(environmentOf(part).CUPEL_KAFKA_USERNAME, name).toBe(`cupel-${user}`)
      expect(shownIn('database'), name).toBe(
        user === 'operator' ? 'cupel-database' : `cupel-database-${user}`,
      )
      expect(shownIn('database-urls'), name).toBe(user === 'operator' ? 'cupel-database-urls' : undefined)
    }
    expect(parts).toHaveLength(9)
  })
})
