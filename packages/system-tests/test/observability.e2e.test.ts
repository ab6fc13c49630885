/** Alerts and boards name series that a running installation has. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startEvmNode } from '@cupel/testkit'
import { expect, test } from 'vitest'
import { createClient } from '../src/client.js'
import { enterpriseKey } from '../src/command.js'
import { checkout, createHome, removeHome, startInstallation } from '../src/installation.js'
import { until } from '../src/until.js'

const folder = join(checkout, 'deploy', 'observability')
/** Series that begin where lists are refreshed on a schedule. */
const OF_REFRESHES = ['cupel_label_refresh_age_seconds', 'cupel_label_refreshes_total']
const NAME = /\b(?:cupel|process|nodejs)_[a-z0-9_]+/g

test('every series that an alert or a board names is in a scrape', async () => {
  const texts = [
    readFileSync(join(folder, 'alerts.yml'), 'utf8').replaceAll(/^ *#.*$/gm, ''),
    ...readdirSync(join(folder, 'boards')).flatMap((file) => expressionsOf(join(folder, 'boards', file))),
  ]
  const named = new Set(texts.flatMap((text) => text.match(NAME) ?? []))
  expect(named.size).toBeGreaterThan(40)
  const scraped = await scrape()
  const missing = [...named].filter((name) => !scraped.has(name.replace(/_(?:bucket|count|sum)$/, '')))
  expect(missing.toSorted()).toEqual(OF_REFRESHES)
})

function expressionsOf(file: string): string[] {
  const board = JSON.parse(readFileSync(file, 'utf8')) as {
    panels: { targets: { expr: string }[] }[]
  }
  return board.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
}

/** The names of the series of an installation with a provider of chain data, after a screen. */
async function scrape(): Promise<ReadonlySet<string>> {
  const home = createHome()
  const node = await startEvmNode()
  const providers = [{ name: 'node', kind: 'evm-rpc', chain: 'ETH', url: node.url }]
  const file = join(home, 'providers.json')
  writeFileSync(file, JSON.stringify({ providers }))
  const installation = await startInstallation({ home, environment: { CUPEL_CHAIN_DATA_FILE: file } })
  try {
    const client = createClient(installation.ready.base_urls, await enterpriseKey(home))
    await client.screen('0x098B716B8Aaf21512996dC57EB0615e2383E2f96', 'ETH')
    await client.close()
    return await until('The age of the starter labels', 180_000, async () => {
      const texts = await Promise.all(
        installation.ready.metrics_urls.map(async (url) => await (await fetch(url)).text()),
      )
      if (!/^cupel_label_list_age_seconds\{/m.test(texts.join('\n'))) return null
      return new Set(texts.flatMap((text) => [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!)))
    })
  } finally {
    await installation.stop()
    await node.close()
    removeHome(home)
  }
}
