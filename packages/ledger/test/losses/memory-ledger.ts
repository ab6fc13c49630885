/** A ledger in memory: the importer reads and judges rows as ever, and its statements fill tables of this process. */
import { writeFile } from 'node:fs/promises'
import { mergeRanges, type DeclaredRange, type HistoryKind, type Transfer } from '@cupel/domain'
import type { Database, Transaction } from '@cupel/postgres'
import { declaredKinds } from '../../src/declared-range.js'
import { openChain } from '../../src/formats/chain.js'
import { ledgerFormats } from '../../src/formats/formats.js'
import { LedgerFileError } from '../../src/formats/ledger-file-error.js'
import type { ToldTransfer } from '../../src/formats/ledger-row.js'
import type { LedgerImportRequest } from '../../src/import-request.js'
import { createKnownIds } from '../../src/known-ids.js'
import { NO_ROWS } from '../../src/row-sums.js'
import type { SegmentState } from '../../src/batch.js'
import { fileSha256 } from '../../src/formats/file-sha256.js'
import { hashOfDigits } from '../../src/stored-values.js'
import { storeRows } from '../../src/store-rows.js'
import { transferWriterIn } from '../../src/store/postgres-writer.js'
import { createIdentities } from '../../src/transfer-identity.js'
import { copiedRows, rowsOf, type Told } from './told-statements.js'

/** The texts of addresses and contracts; their numbers count from 1. */
const texts: string[] = []
const numberOfText = new Map<string, number>()

function numbersOf(asked: readonly string[]): readonly { readonly number: number; readonly text: string }[] {
  return asked.map((text) => {
    const known = numberOfText.get(text)
    const number = known ?? texts.push(text)
    numberOfText.set(text, number)
    return { number, text }
  })
}

/** With the texts that the numbers and digits of a row stand for. */
const asTold = (row: Told): Told => {
  const textOf = (name: string): string => (row[name] === null ? '' : texts[Number(row[name]) - 1]!)
  return {
    ...row,
    ...('tx_hash' in row ? { tx_hash: hashOfDigits(String(row['tx_hash'])) } : {}),
    ...('contract' in row
      ? { sender: textOf('sender'), receiver: textOf('receiver'), contract: textOf('contract') }
      : {}),
  }
}

interface StoredTransfer {
  readonly told: Told
  proven: boolean
  failed: boolean
}

interface StoredSegment {
  readonly covers: readonly HistoryKind[]
  readonly from: number | null
  readonly to: number | null
  readonly lastHeight: number | null
  readonly lastAtS: number | null
  readonly unreadable: readonly Told[]
}

interface Statement {
  readonly table: string
  readonly rows: readonly Told[]
}

export interface MemoryLedger {
  /** Why the file was refused; null if it was imported. */
  import(request: Omit<LedgerImportRequest, 'importedBy'>, text: string): Promise<string | null>
  transfersOf(address: string): readonly Transfer[]
  /** All that whole transactions changed in the balance of the address; null if a transfer does not tell it. */
  netOf(address: string): bigint | null
  unknownTokensOf(address: string): readonly UnknownToken[]
  ranges(): readonly DeclaredRange[]
}

export interface UnknownToken {
  readonly direction: 'in' | 'out'
  readonly contract: string
  readonly counterparty: string
  readonly amount: bigint
  readonly transfers: number
}

const numberOrNull = (value: Told[string] | undefined): number | null =>
  value === null || value === undefined ? null : Number(value)

export function createMemoryLedger(now: Date): MemoryLedger {
  const transfers = new Map<string, StoredTransfer>()
  const tokens = new Map<string, Told>()
  const blocks = new Map<number, number>()
  /** Hashes of transactions by block and index. */
  const places = new Map<string, string>()
  /** Ids of calls that got a name. */
  const named = new Set<string>()
  const segments: StoredSegment[] = []

  function keep({ table, rows }: Statement): void {
    const isNumbered = ['ledger.transfer', 'ledger.transaction_place'].includes(table)
    for (const told of rows) {
      const row = isNumbered ? asTold(told) : told
      const id = String(row['id'])
      if (table === 'ledger.unknown_token') tokens.set(id, row)
      if (table === 'ledger.block') blocks.set(Number(row['height']), Number(row['at_s']))
      const place = `${row['block']} ${row['tx_index']}`
      if (table === 'ledger.transaction_place' && !places.has(place))
        places.set(place, String(row['tx_hash']))
      if (table !== 'ledger.transfer' || named.has(id)) continue
      const isProven = row['execution'] === 'proven' || row['succeeded'] === true
      const isFailed = row['execution'] === 'failed' || row['succeeded'] === false
      const known = transfers.get(id)
      if (known !== undefined) {
        known.proven ||= isProven
        known.failed ||= isFailed
      } else if (row['sender'] !== undefined)
        transfers.set(id, { told: row, proven: isProven, failed: isFailed })
    }
  }

  /** See `nameCalls`: a call without a hash becomes the equal call of the transaction at its place. */
  function nameCalls(nameOf: (told: ToldTransfer) => string): void {
    for (const [id, call] of [...transfers]) {
      const { told } = call
      const txHash = places.get(`${told['block']} ${told['tx_index']}`)
      if (told['kind'] !== 'internal' || told['tx_hash'] !== '' || txHash === undefined) continue
      const name = nameOf({
        ...{
          line: 0,
          kind: 'internal',
          txHash,
          contract: '',
          index: null,
          amount: BigInt(String(told['amount'])),
        },
        ...{
          from: String(told['sender']),
          to: String(told['receiver']),
          blockNumber: null,
          occurredAtS: null,
        },
        ...{ txIndex: null, place: null, execution: 'unknown' },
      })
      const known = transfers.get(name)
      transfers.set(name, {
        told: known?.told ?? { ...told, tx_hash: txHash },
        proven: call.proven || known?.proven === true,
        failed: call.failed || known?.failed === true,
      })
      transfers.delete(id)
      named.add(id)
    }
  }

  function transferOf(id: string, { told, proven }: StoredTransfer): Transfer {
    const blockNumber = numberOrNull(told['block'])
    const [from, to] = [String(told['sender']), String(told['receiver'])]
    return {
      ...{ id, from, to, blockNumber, proven },
      ...{ txHash: String(told['tx_hash']), kind: String(told['kind']), contract: String(told['contract']) },
      amount: BigInt(String(told['amount'])),
      occurredAtS:
        numberOrNull(told['at_s']) ?? (blockNumber === null ? null : (blocks.get(blockNumber) ?? null)),
      index: numberOrNull(told['tx_index']),
      position: numberOrNull(told['place']),
      coinJoin: from.startsWith('coinjoin:') || to.startsWith('coinjoin:'),
    }
  }

  const visible = (address: string): readonly [string, StoredTransfer][] =>
    [...transfers].filter(
      ([, { told, proven, failed }]) =>
        (told['sender'] === address || told['receiver'] === address) &&
        (!failed || (told['kind'] === 'native' && proven)),
    )

  // It numbers equal calls, whatever files they come from.
  const nameOfCall = createIdentities({ code: 'ETH', family: 'evm' })
  return {
    async import(request, text) {
      const read = await readOnce({ request, text, now })
      if (typeof read === 'string') return read
      read.statements.forEach(keep)
      nameCalls(nameOfCall)
      segments.push(read.segment)
      return null
    },
    transfersOf: (address) =>
      visible(address)
        .map(([id, stored]) => transferOf(id, stored))
        .filter(({ amount }) => amount > 0n),
    netOf(address) {
      const nets = new Map<string, bigint | null>()
      for (const [, { told }] of visible(address)) {
        const net = told[told['sender'] === address ? 'from_net' : 'to_net'] ?? null
        const hash = String(told['tx_hash'])
        if (net !== null) nets.set(hash, (nets.get(hash) ?? 0n) + BigInt(String(net)))
        else if (!nets.has(hash)) nets.set(hash, null)
      }
      return [...nets.values()].reduce((sum, net) => (sum === null || net === null ? null : sum + net), 0n)
    },
    unknownTokensOf: (address) =>
      [...tokens.values()].flatMap((told): UnknownToken[] =>
        told['sender'] !== address && told['receiver'] !== address
          ? []
          : [
              {
                direction: told['receiver'] === address ? 'in' : 'out',
                contract: String(told['contract']),
                counterparty: String(told['receiver'] === address ? told['sender'] : told['receiver']),
                amount: BigInt(String(told['amount'])),
                transfers: 1,
              },
            ],
      ),
    ranges: () => mergeRanges(rangesOf(segments, blocks, now)),
  }
}

const emptyState = (chain: string): SegmentState => ({
  ...{ segmentId: 1, chain, replaces: false, rowsDone: 0, counts: {} },
  ...{ firstHeight: null, lastHeight: null, lastHeightAtS: null, rowSums: NO_ROWS },
})

interface FileOfWorld {
  readonly request: Omit<LedgerImportRequest, 'importedBy'>
  readonly text: string
  readonly now: Date
}

interface ReadFile {
  readonly statements: readonly Statement[]
  readonly segment: StoredSegment
}

/** A loss changes one file of a world, so the others need no second reading. */
const readBefore = new Map<string, Promise<ReadFile | string>>()
const REMEMBERED_FILES = 200

async function readOnce(file: FileOfWorld): Promise<ReadFile | string> {
  const { request, text } = file
  const key = JSON.stringify({ ...request, file: '', text })
  const known = readBefore.get(key)
  if (known !== undefined) return await known
  if (readBefore.size >= REMEMBERED_FILES) readBefore.clear()
  const read = readFile(file)
  readBefore.set(key, read)
  return await read
}

/** What the importer would store, or why it refuses the file. */
async function readFile({ request, text, now }: FileOfWorld): Promise<ReadFile | string> {
  await writeFile(request.file, text)
  const chain = openChain(request.chain)!
  const format = ledgerFormats[request.format]!
  const asked = { ...request, importedBy: 'test' }
  const statements: Statement[] = []
  const state = emptyState(chain.code)
  try {
    const covers = await declaredKinds(asked, format, chain)
    const database = databaseInto(statements)
    const writer = transferWriterIn(database)
    const run = { request: asked, deps: { database }, chain, format, covers, now, writer }
    const knownIds = createKnownIds(database, true)
    await storeRows({ ...run, sha256: await fileSha256(request.file) }, state, { startedAt: 0, knownIds })
    const segment: StoredSegment = {
      covers,
      from: request.completeFrom ?? null,
      to: request.completeTo ?? null,
      lastHeight: state.lastHeight,
      lastAtS: state.lastHeightAtS,
      unreadable: statements.flatMap(({ table, rows }) => (table === 'ledger.unreadable_row' ? rows : [])),
    }
    return { statements, segment }
  } catch (error) {
    if (!(error instanceof LedgerFileError)) throw error
    return error.message
  }
}

/** A database that understands the importer's statements, and keeps what they insert. */
function databaseInto(pending: Statement[]): Database {
  const take = (statement: { readonly text: string } | string, values: readonly unknown[] = []): number => {
    const text = typeof statement === 'string' ? statement : statement.text
    const table = /(?:INSERT INTO|UPDATE) (ledger\.\w+)/.exec(text)?.[1]
    const rows = rowsOf(text, values)
    if (table !== undefined && rows.length > 0) pending.push({ table, rows })
    return table === 'ledger.segment' ? 1 : rows.length
  }
  const queryable = {
    query: async (
      statement: { readonly name?: string; readonly text: string } | string,
      values?: readonly unknown[],
    ) => {
      const name = typeof statement === 'string' ? '' : (statement.name ?? '')
      if (name.startsWith('ledger.find-')) return numbersOf(values![1] as readonly string[])
      // A row that is told again changes the one that is there, whichever statement tells it.
      if (name === 'ledger.known-transfers') return []
      return [{ added: take(statement, values), count: 0 }]
    },
    execute: async (statement: { readonly text: string } | string, values?: readonly unknown[]) =>
      take(statement, values),
    copy: async (statement: string, lines: Uint8Array | string) =>
      pending.push({ table: 'ledger.transfer', rows: copiedRows(statement, String(lines)) }),
  } as unknown as Transaction
  return {
    ...queryable,
    transaction: async <T>(_options: unknown, work: (transaction: Transaction) => Promise<T>) =>
      await work(queryable),
  } as unknown as Database
}

/** The declared ranges with the times of their ends, and whether a row in them could not be read; see `declaredBySegment`. */
function rangesOf(
  segments: readonly StoredSegment[],
  blocks: ReadonlyMap<number, number>,
  now: Date,
): readonly DeclaredRange[] {
  const importedAtS = Math.floor(now.getTime() / 1_000)
  const atOf = ({ to, lastAtS, lastHeight }: StoredSegment): number | null =>
    blocks.get(to!) ?? lastAtS ?? (lastHeight === null ? null : (blocks.get(lastHeight) ?? null))
  const declared = segments.filter(({ from }) => from !== null)
  const badOf = ({ unreadable, from, to }: StoredSegment) =>
    unreadable.map(({ height, kinds }) => ({
      kinds: String(kinds).split(','),
      first: numberOrNull(height) ?? from!,
      last: numberOrNull(height) ?? to!,
    }))
  const bad = segments.flatMap((segment, at) => badOf(segment).map((row) => ({ ...row, at })))
  /** A later file that holds the place of the row completely, and reads it, makes up for it. */
  const isMended = (kind: HistoryKind, { at, first, last }: (typeof bad)[number]): boolean =>
    segments
      .slice(at + 1)
      .some(
        (later) =>
          later.covers.includes(kind) &&
          later.from! <= first &&
          later.to! >= last &&
          badOf(later).every((again) => again.first > last || again.last < first),
      )
  return declared.flatMap((segment) =>
    segment.covers.map((kind): DeclaredRange => {
      const [fromHeight, toHeight] = [segment.from!, segment.to!]
      const below = declared.flatMap((other) => (other.to! <= toHeight ? (atOf(other) ?? []) : []))
      const at = atOf(segment) ?? (below.length === 0 ? null : Math.max(...below))
      const isBad = bad.some(
        (row) =>
          row.kinds.includes(kind) && row.first <= toHeight && row.last >= fromHeight && !isMended(kind, row),
      )
      return {
        ...{ kind, fromHeight, toHeight, toAtS: at === null ? null : Math.min(at, importedAtS) },
        ...(isBad ? { hasUnreadableRows: true } : {}),
      }
    }),
  )
}
