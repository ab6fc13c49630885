import { noMetrics, silentLogger, type DomainEvent, type Metrics } from '@cupel/contracts'
import { labelView } from '../read-model/reducers.js'
import { readModels } from '@cupel/operation/read-models'
import { until } from '@cupel/testkit'
import { openTestInstallation } from '@cupel/testkit/installation'
import { expect, test } from 'vitest'
import { watchLists } from './watch-lists.js'

const HOUR_MS = 3_600_000

test('tells the age of each list, and why no address is green', async () => {
  const installation = await openTestInstallation({ readModels })
  try {
    const seen: Record<string, number> = {}
    const { database } = installation
    const watch = watchLists({ database, logger: silentLogger, metrics: gaugesInto(seen), intervalMs: 10 })
    installation.onClose(() => watch.stop())
    await until(() =>
      expect(seen).toEqual({
        'label_lists_block_green stale': expect.any(Number) as number,
        'label_lists_block_green missing': 0,
        'label_lists_block_green incomplete': 0,
        'label_lists_block_green no_sanctions_list': 1,
      }),
    )
    installation.run(labelView)
    await installation.append(publication(new Date(Date.now() - 2 * HOUR_MS)))
    await until(() => expect(seen['label_list_age_seconds ofac_sdn/sdn']).toBeGreaterThan(7_199))
    expect(seen['label_list_age_seconds ofac_sdn/sdn']).toBeLessThan(7_500)
  } finally {
    await installation.close()
  }
})

test('a database that does not answer is told, and looked at again', async () => {
  const installation = await openTestInstallation({ readModels })
  try {
    const lines: string[] = []
    const seen: Record<string, number> = {}
    let isDown = true
    const database = new Proxy(installation.database, {
      get: (target, name) =>
        name === 'query' && isDown ? () => Promise.reject(new Error('down')) : Reflect.get(target, name),
    })
    const logger = { ...silentLogger, warn: (_fields: object, message: string) => lines.push(message) }
    const watch = watchLists({ database, logger, metrics: gaugesInto(seen), intervalMs: 10 })
    installation.onClose(() => watch.stop())
    await until(() => expect(lines).toContain('The label lists cannot be read now'))
    expect(seen).toEqual({})
    isDown = false
    await until(() => expect(Object.keys(seen)).toHaveLength(4))
  } finally {
    await installation.close()
  }
})

function gaugesInto(seen: Record<string, number>): Metrics {
  const gauge: Metrics['gauge'] = (name) => ({
    set: (value, labels = {}) => (seen[[name, ...Object.values(labels)].join(' ')] = value),
  })
  return { ...noMetrics, gauge }
}

function publication(asOf: Date): DomainEvent {
  const time = asOf.toISOString()
  const envelope = { id: 'i1', source: 'test', time, subject: 'i1', correlationId: 'i1', causationId: 'i1' }
  const data = {
    ...{ importId: 'i1', source: 'ofac_sdn', dataset: 'sdn', sha256: 'hash', asOf: time, publishedAt: time },
    ...{
      historical: false,
      appended: false,
      authorityOrigin: '',
      importedBy: 'test',
      refreshConfigured: false,
    },
    ...{ total: 0, added: 0, unchanged: 0, retired: 0, refused: 0, acceptedRemovals: null, reason: null },
  }
  return { type: 'LabelSetPublished', data, envelope } as unknown as DomainEvent
}
