/** Addresses under watch on an installation under test, and lists that name them. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Client } from './client.js'
import { cupel } from './command.js'
import { until } from './until.js'

const HEADER = 'address,chain,category,entity,source,source_url,confidence,observed_at'
/** Only a hang takes longer. */
const LIMIT_MS = 180_000

/** Watches the addresses, and resolves once each has a report. */
export async function watch(client: Client, addresses: readonly string[]): Promise<void> {
  const body = JSON.stringify({ watches: addresses.map((address) => ({ address, chain: 'ETH' })) })
  const made = await client.send('POST', '/v1/watches', body)
  if (made.status !== 201) throw new Error(`watches are answered ${made.status}: ${made.text}`)
  await until('the first report of each watch', LIMIT_MS, async () => {
    const { text } = await client.send('GET', '/v1/watches?page_size=100')
    const { items } = JSON.parse(text) as { items: { address: string; last_report: object | null }[] }
    return items.length === addresses.length && items.every((item) => item.last_report !== null)
  })
}

/** Makes the list of a customer that names these addresses, and no other. */
export async function list(home: string, addresses: readonly string[]): Promise<void> {
  const rows = addresses.map(
    (address) => `${address},ETH,scam,Some Scam,my_list,https://example.org/list,0.9,2026-11-20`,
  )
  const file = join(home, 'watched.csv')
  await writeFile(file, `${[HEADER, ...rows].join('\n')}\n`)
  // A list may be the same as one before the last.
  const options = ['--format', 'csv', '--set', 'my_list', '--reason', 'the addresses to find', '--json']
  const done = await cupel(home, ['labels', 'import', file, ...options])
  if (done.exitCode !== 0) throw new Error(`labels were not imported: ${done.stderr}${done.stdout}`)
}
