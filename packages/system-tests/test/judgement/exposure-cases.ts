/**
 * Exposure on real transfers. This file adds the transfers up independently and compares the reports with the sums: an address that
 * dealt with a sanctioned one is at least orange, one that paid a scam is its victim, and transfers without value do not count.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Report } from '@cupel/contracts'
import { findAsset, uncountedReason } from '@cupel/domain'
import { currentLedger, importLedger, readTransfers } from '@cupel/ledger'
import type { FileRow } from '../../src/judgement-oracle.js'
import { parse } from 'csv-parse/sync'
import { judgeOnLedger, type Clock } from './judge-addresses.js'
import type { LabelInstallation } from './label-installation.js'
import { trap, type Trap } from './traps.js'

export interface ExposureFacts {
  readonly installation: LabelInstallation
  readonly rows: readonly FileRow[]
  readonly sharedData: string
  /** Victims of address poisoning that are judged; the file has 1,502. */
  readonly victims: number
  readonly clock: Clock
}

interface TransferRow {
  readonly asset: string
  readonly asset_address: string
  readonly from_address: string
  readonly to_address: string
  readonly amount: string
}

const RONIN = 'eth_lazarus_ronin_transfers.csv'
const POISONING = 'eth_address_poisoning_payoffs.csv'
const TRON = 'trx_blocks_0_10000.csv'
const BLOCKS = ['eth_block_15000000.csv', 'eth_blocks_17173049_17173050.csv']

export async function judgeExposure(facts: ExposureFacts): Promise<readonly Trap[]> {
  const { sharedData } = facts
  const file = (name: string): string => join(sharedData, 'chain', name)
  const leftOut = new Map<string, Readonly<Record<string, number>>>()
  for (const name of [RONIN, POISONING, TRON, ...BLOCKS]) {
    const chain = name.slice(0, 3).toUpperCase()
    const result = await importLedger(
      { file: file(name), format: 'csv', chain, importedBy: 'bench' },
      { database: facts.installation.database },
    )
    if (result.status === 'refused') throw new Error(`${name} is refused: ${result.message}`)
    leftOut.set(name, result.leftOut)
  }
  const read = async (name: string): Promise<readonly TransferRow[]> =>
    parse(await readFile(file(name), 'utf8'), { columns: true, skip_empty_lines: true }) as TransferRow[]
  return [
    ...(await judgeDealings(await read(RONIN), facts)),
    await judgeVictims(await read(POISONING), facts),
    trap(
      'transfers of no value are left out',
      { zeroValue: 125 },
      { zeroValue: leftOut.get(RONIN)!['zero_value'] ?? 0 },
    ),
    emptyCounterparties(await read(TRON), leftOut.get(TRON)!),
    await mintedAndBurnt((await Promise.all(BLOCKS.map(read))).flat(), facts),
  ]
}

/** Transfers without value are already left out for that reason. */
function emptyCounterparties(
  transfers: readonly TransferRow[],
  leftOut: Readonly<Record<string, number>>,
): Trap {
  const empty = transfers.filter((row) => row.from_address === '' || row.to_address === '')
  const ofValue = empty.filter(({ amount }) => Number(amount) > 0)
  return trap(
    'transfers without a counterparty are left out',
    { rows: 214, noCounterparty: ofValue.length },
    { rows: empty.length, noCounterparty: leftOut['no_counterparty'] ?? 0 },
  )
}

const ZERO = `0x${'0'.repeat(40)}`

/** A transfer without sender or receiver has no counterparty. */
async function mintedAndBurnt(
  transfers: readonly TransferRow[],
  { installation: { database } }: ExposureFacts,
): Promise<Trap> {
  const rows = transfers.filter((row) => [row.from_address, row.to_address].includes(ZERO))
  const ledgerSeq = (await currentLedger(database)).ledgerSeq
  const request = { chain: 'ETH', ledgerSeq, addresses: [ZERO], limit: rows.length }
  const read = (await readTransfers(database, request)).get(ZERO)?.transfers ?? []
  const counted = read.filter((one) => uncountedReason('ETH', one) === null)
  return trap(
    'tokens that are made or burnt have no counterparty',
    { rows: 24, counted: 0 },
    { rows: rows.length, counted: counted.length },
  )
}

/** Addresses that received from, and addresses that sent to, sanctioned ones. */
async function judgeDealings(
  transfers: readonly TransferRow[],
  { installation, rows, clock }: ExposureFacts,
): Promise<readonly Trap[]> {
  const sanctioned = new Set(
    rows
      .filter(({ file, category }) => file === 'ofac_sdn.csv' && category === 'sanctions')
      .map(({ address }) => address),
  )
  const listed = (category: string): ReadonlySet<string> =>
    new Set(rows.filter((row) => row.category === category).map(({ address }) => address))
  const [stolen, clean] = [listed('stolen'), listed('clean_exchange')]
  const others = [...new Set(transfers.flatMap((row) => [row.from_address, row.to_address]))].filter(
    (address) => !sanctioned.has(address),
  )
  const reports = await judgeOnLedger(installation.database, 'ETH', others, clock)
  const isOf = (side: 'from_address' | 'to_address', address: string, sources: ReadonlySet<string>) =>
    transfers.some(
      (row) =>
        Number(row.amount) > 0 &&
        row[side] === address &&
        sources.has(side === 'to_address' ? row.from_address : row.to_address),
    )
  const received = others.filter((address) => isOf('to_address', address, sanctioned))
  const sent = others.filter((address) => isOf('from_address', address, sanctioned))
  const has = (address: string, category: string, direction: string): boolean =>
    evidenceOf(reports.get(address)!, category, direction).length > 0
  const isAlerted = (address: string): boolean => ['orange', 'red'].includes(reports.get(address)!.risk.level)
  const silent = others.filter((address) => !received.includes(address) && !sent.includes(address))
  return [
    trap(
      'who received from a sanctioned address shows it, and is at least orange',
      { recipients: 54, shown: 54, alerted: 54, stolenToo: 18 },
      {
        recipients: received.length,
        shown: received.filter((address) => has(address, 'sanctions', 'in')).length,
        alerted: received.filter(isAlerted).length,
        stolenToo: received.filter(
          (address) => isOf('to_address', address, stolen) && has(address, 'stolen', 'in'),
        ).length,
      },
    ),
    trap(
      'who sent to a sanctioned address is at least orange, and an exchange among them is a conflict',
      { senders: 154, shown: 154, alerted: 154, conflicts: 1 },
      {
        senders: sent.length,
        shown: sent.filter((address) => has(address, 'sanctions', 'out')).length,
        alerted: sent.filter(isAlerted).length,
        conflicts: sent.filter(
          (address) => clean.has(address) && reports.get(address)!.risk.conflicts.length > 0,
        ).length,
      },
    ),
    trap(
      'who only exchanged transfers without value with them shows nothing of it',
      { wronglyShown: 0 },
      {
        wronglyShown: silent.filter(
          (address) => has(address, 'sanctions', 'in') || has(address, 'sanctions', 'out'),
        ).length,
      },
    ),
  ]
}

const evidenceOf = ({ risk }: Report, category: string, direction: string) =>
  risk.evidence.filter(
    (item) => item.category === category && item.relation === 'direct' && item.direction === direction,
  )

/** A victim of address poisoning sent all its known value to a scam, and must not be scored as a scammer. */
async function judgeVictims(
  transfers: readonly TransferRow[],
  { installation, rows, victims: limit, clock }: ExposureFacts,
): Promise<Trap> {
  const listed = new Set(rows.map(({ address }) => address))
  const victims = [...new Set(transfers.map(({ from_address: address }) => address))].filter(
    (address) => !listed.has(address),
  )
  const asked = victims.slice(0, limit)
  // An unknown token proves nothing: anyone can emit its events. The file names fewer tokens than the asset table.
  const inKnownTokens = new Set(
    transfers
      .filter(
        ({ asset, asset_address: contract }) => asset !== '' || findAsset('ETH', contract) !== undefined,
      )
      .map(({ from_address: address }) => address),
  )
  const paid = asked.filter((address) => inKnownTokens.has(address))
  const reports = await judgeOnLedger(installation.database, 'ETH', asked, clock)
  const shown = asked.filter((address) => evidenceOf(reports.get(address)!, 'scam', 'out').length > 0)
  const alerted = asked.filter((address) => reports.get(address)!.risk.level !== 'grey')
  return trap(
    'who paid a scam is its victim: shown, and not orange for it',
    { victims: 1_502, judged: asked.length, shown: paid.length, alerted: 0 },
    { victims: victims.length, judged: asked.length, shown: shown.length, alerted: alerted.length },
  )
}
