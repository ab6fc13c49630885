/** A ledger with a transaction of one transfer, and one with transfers to two receivers and in two assets. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createLedgerCheck, importLedger } from '@cupel/ledger'
import { startOutboxRelay } from '@cupel/projections'
import { until } from '@cupel/testkit'
import { expect } from 'vitest'
import type { Installation } from './installation.js'

export const OWN = '0x00000000219ab540356cBB839Cbe05303d7705Fa'
export const SENDER = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
export const USDT = '0xdac17f958d2ee523a2206206994597c13d831ec7'
export const ONE_TRANSFER = `0x${'1'.repeat(64)}`
export const MANY_TRANSFERS = `0x${'2'.repeat(64)}`
export const NO_TRANSFER = `0x${'3'.repeat(64)}`
/** Receives more transfers than are searched without a turn. */
export const BUSY = `0x${'b'.repeat(40)}`
const BUSY_TRANSFERS = 1_100
const OTHER = '0xde0b295669a9fd93d5f28d9ec85e40f4cb697bae'

const HEADING =
  'chain,block_number,block_time,tx_hash,log_index,kind,asset,asset_address,from_address,to_address,amount_raw,amount,amount_usd,source,status,transaction_index'

const row = (
  block: number,
  hash: string,
  index: string,
  contract: string,
  from: string,
  raw: string,
): string => {
  const kind = contract === '' ? 'native' : 'token'
  return `ETH,${block},2026-11-20T00:00:00Z,${hash},${index},${kind},,${contract},${from.toLowerCase()},${OWN.toLowerCase()},${raw},,,test,1,0`
}

/** Resolves once the log states the import. */
export async function importTransfers({ database, folder, deps }: Installation): Promise<void> {
  const file = join(folder, 'transfers.csv')
  const rows = [
    row(1, ONE_TRANSFER, '', '', SENDER, '1500000000000000000'),
    row(2, MANY_TRANSFERS, '', '', SENDER, '1000000000000000000'),
    row(2, MANY_TRANSFERS, '1', USDT, SENDER, '7000000'),
    row(2, MANY_TRANSFERS, '2', USDT, SENDER, '3000000'),
    row(2, MANY_TRANSFERS, '3', USDT, OTHER, '5000000'),
  ]
  const busy = Array.from({ length: BUSY_TRANSFERS }, (_, at) =>
    row(3, `0x${at.toString(16).padStart(64, '4')}`, '', '', SENDER, '1').replace(OWN.toLowerCase(), BUSY),
  )
  await writeFile(file, [HEADING, ...rows, ...busy, ''].join('\n'))
  const request = { file, format: 'csv', chain: 'ETH', importedBy: 'test' }
  const result = await importLedger(request, { database })
  if (result.status === 'refused') throw new Error(result.message)
  const relay = startOutboxRelay({ ...deps, lookIntervalMs: 20 })
  const check = createLedgerCheck(deps)
  await until(async () => expect(await check()).toMatchObject({ ledgerSeq: 1, unstated: null }))
  await relay.stop()
}
