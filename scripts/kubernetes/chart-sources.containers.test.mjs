// Tests what the chart makes from values for the sources of transfers and lists: followers, histories, the label refresher.
import { noteSkip } from '@cupel/testkit'
import { describe, expect, test } from 'vitest'
import { environmentOf, ofKind, podsOf, render, toolsOrReason } from './chart.mjs'

const { tools, reason } = await toolsOrReason()
if (reason !== undefined) noteSkip(`the chart: ${reason}`)

describe.skipIf(reason !== undefined)('the chart', () => {
  test('keeps the histories that providers tell on a claim of the scorers, and lets the installation write them', async () => {
    const scorer = { chainDataSecret: 'chains', historiesClaim: 'histories' }
    const pods = podsOf((await render(tools, { scorer, scorerBulk: { enabled: true } })).manifests)
    const having = pods.filter(({ pod }) =>
      pod.volumes.some(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === 'histories'),
    )
    expect(having.map(({ name }) => name)).toEqual(expect.arrayContaining(['scorer', 'scorer-bulk']))
    expect(having.map(({ name }) => name)).not.toContain('api')
    for (const each of having)
      expect(environmentOf(each)).toMatchObject({
        CUPEL_HISTORIES: 'true',
        CUPEL_HISTORY_FOLDER: '/histories',
      })
  })

  test('runs a label refresher without a plan, which reads the lists that operators send', async () => {
    const { manifests } = await render(tools, { labelRefresher: { enabled: true } })
    const refreshers = podsOf(manifests).filter(({ name }) => name === 'label-refresher')
    expect(refreshers).toHaveLength(1)
    for (const refresher of refreshers) {
      expect(refresher.pod.volumes.map(({ name }) => name)).not.toContain('plan')
      expect(environmentOf(refresher)).not.toHaveProperty('CUPEL_LABEL_REFRESH_FILE')
    }
  })

  test('runs a follower of each chain by itself, with the URL of its node in a file', async () => {
    const { manifests } = await render(tools, {
      followers: {
        ETH: { nodeSecret: 'eth-node', arguments: ['--from', '0'] },
        TRX: { nodeSecret: 'trx-node' },
      },
      networkPolicy: { nodes: { to: [{ ipBlock: { cidr: '10.9.0.7/32' } }] } },
      kafka: {
        sasl: { users: { 'ledger-follower': { username: 'cupel-ledger-follower', existingSecret: 'own' } } },
      },
    })
    const parts = podsOf(manifests).filter(({ name }) => name.startsWith('follower-'))
    expect(parts.map(({ name, container }) => [name, container.args.join(' ')])).toEqual([
      [
        'follower-eth',
        'ledger follow --chain ETH --rpc-file /secrets/node/node-url --metrics-port 9464 --from 0',
      ],
      ['follower-trx', 'ledger follow --chain TRX --rpc-file /secrets/node/node-url --metrics-port 9464'],
    ])
    for (const part of parts) {
      expect(environmentOf(part).CUPEL_KAFKA_USERNAME).toBe('cupel-ledger-follower')
      const { secret } = part.pod.volumes.find(({ name }) => name === 'node')
      expect(secret.items).toEqual([{ key: 'node-url', path: 'node-url' }])
    }
    const deployments = ofKind(manifests, 'Deployment').filter(({ metadata }) =>
      metadata.name.startsWith('cupel-follower-'),
    )
    expect(deployments.map(({ spec }) => [spec.replicas, spec.strategy.type])).toEqual([
      [1, 'Recreate'],
      [1, 'Recreate'],
    ])
  })
})
