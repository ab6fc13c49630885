/** One round of activity for the pictures of the boards: something for each panel that is not about faults. */
import type { Client } from './client.js'
import type { ReadyLine } from './installation.js'

const LABELLED = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
/** Calls of one round; a panel of rates needs several. */
const SCREENS = 4

export async function callEverything(client: Client, { base_url, console_url }: ReadyLine): Promise<void> {
  await Promise.all([
    ...Array.from({ length: SCREENS }, () => client.screen(randomAddress(), 'ETH')),
    client.screen(LABELLED, 'ETH'),
    client.send('POST', '/v1/bulk', JSON.stringify({ addresses: [LABELLED, randomAddress()] })),
    client.send('GET', '/v1/reports?limit=5'),
    // Refused at the gate.
    read(`${base_url}/v1/reports`),
    ...(console_url === null ? [] : [read(`${console_url}/sign-in`)]),
  ])
}

async function read(url: string): Promise<void> {
  await (await fetch(url)).arrayBuffer()
}

/** In lower case: without the checksum of the other form. */
function randomAddress(): string {
  const digits = Array.from({ length: 40 }, () => Math.floor(Math.random() * 16).toString(16))
  return `0x${digits.join('')}`
}
