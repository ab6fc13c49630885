/** Reads the transparency log over HTTP for tests. */
import type { EventData } from '@cupel/contracts'
import { testEvent } from '@cupel/testkit/installation'
import type { Installation } from './installation.js'

export async function appendAccounts({ append }: Installation, count: number): Promise<void> {
  const events = Array.from({ length: count }, (_, at) =>
    testEvent('AccountCreated', `acc_${at}`, {
      ...{ accountId: `acc_${at}`, name: 'First', createdAt: '2026-11-23T09:00:00.000Z', createdBy: 'test' },
    } as EventData['AccountCreated']),
  )
  await append(...events)
}

export interface ReadTile {
  readonly bytes: Buffer
  readonly headers: Headers
}

/** Reads tiles by their names; throws if the answer is not 200. */
export function tileReader(url: string, key: string): (tile: string) => Promise<ReadTile> {
  return async (tile) => {
    const answer = await fetch(`${url}/v1/log/tile/${tile}`, { headers: { authorization: `Bearer ${key}` } })
    const bytes = Buffer.from(await answer.arrayBuffer())
    if (answer.status !== 200) throw new Error(`${tile}: ${answer.status} ${bytes.toString()}`)
    return { bytes, headers: answer.headers }
  }
}

/** Splits a bundle into entries; a length of two bytes precedes each entry. */
export function entriesOf(bundle: Buffer): Buffer[] {
  const entries: Buffer[] = []
  for (let at = 0; at < bundle.length;) {
    const end = at + 2 + bundle.readUInt16BE(at)
    entries.push(bundle.subarray(at + 2, end))
    at = end
  }
  return entries
}
