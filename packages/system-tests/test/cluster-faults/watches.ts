/** Watched addresses, which a list names one after the other during faults. Each change must be reported once. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Client } from '../../src/client.js'
import type { Random } from '../../src/random.js'
import { until } from '../../src/until.js'
import type { WebhookReceiver } from '../../src/webhook-receiver.js'
import type { Installation } from './installation.js'

export interface Watches {
  /** Begins to list the next address in the background and repeats it until it succeeds. Does nothing if all addresses are listed. */
  listNext(): void
  /** Resolves to the addresses whose change was not reported exactly once. */
  notToldOnce(receiver: WebhookReceiver): Promise<string[]>
}

const WATCHED = 20
export const LABEL_HEADER = 'address,chain,category,entity,source,source_url,confidence,observed_at'
/** Only a hang takes longer. */
const LIMIT_MS = 300_000

export async function watchAddresses(
  installation: Installation,
  client: Client,
  random: Random,
): Promise<Watches> {
  const addresses = Array.from({ length: WATCHED }, () => `0x${random.hex(40)}`)
  const body = JSON.stringify({ watches: addresses.map((address) => ({ address, chain: 'ETH' })) })
  await until('watches', LIMIT_MS, async () => {
    const { status } = await client.send('POST', '/v1/watches', body, { 'idempotency-key': 'watches' })
    return status === 200 || status === 201
  })
  await until('the first report of each watch', LIMIT_MS, async () => {
    const { status, text } = await client.send('GET', '/v1/watches?page_size=100')
    return status === 200 && !/"report(_id)?":null|"last_report":null/.test(text)
  })
  let listed = 0
  let listing = Promise.resolve()
  const list = async (count: number): Promise<void> => {
    const rows = addresses
      .slice(0, count)
      .map((address) => `${address},ETH,scam,Some Scam,my_list,https://example.org/list,0.9,2026-11-20`)
    const file = join(installation.folder, `watched-${count}.csv`)
    await writeFile(file, `${[LABEL_HEADER, ...rows].join('\n')}\n`)
    await until('an import of labels', LIMIT_MS, () =>
      installation.json('labels', 'import', file, '--format', 'csv', '--set', 'my_list'),
    )
  }
  return {
    listNext() {
      if (listed === WATCHED) return
      listed += 1
      const count = listed
      listing = listing.then(() => list(count))
    },
    async notToldOnce(receiver) {
      await listing
      const told = (): Map<string, number> => {
        const changes = new Map<string, number>()
        for (const { type, data } of receiver.accepted().values())
          if (type === 'report.changed') {
            const address = String(data['address']).toLowerCase()
            changes.set(address, (changes.get(address) ?? 0) + 1)
          }
        return changes
      }
      const wrong = (): string[] => addresses.slice(0, listed).filter((each) => told().get(each) !== 1)
      await until('the changes of watches', LIMIT_MS, async () => wrong().length === 0).catch(() => undefined)
      return wrong()
    },
  }
}
