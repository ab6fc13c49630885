/**
 * Stand-ins of Esplora and Blockbook about a chain that a test makes up. Sources of the forms: the descriptions of both interfaces, and
 * the sources of Blockbook.
 */
import { answered, type StandIn, type StandInAnswer, type StandInQuestion } from './stand-in.js'

export interface UtxoPart {
  /** Null for a script without an address. */
  readonly address: string | null
  readonly value: number
  readonly script?: string
  /** Texts that Blockbook writes where addresses stand. */
  readonly described?: readonly string[]
}

export interface UtxoTransaction {
  readonly height: number
  readonly hash: string
  /** Empty for a coinbase. */
  readonly inputs: readonly UtxoPart[]
  readonly outputs: readonly UtxoPart[]
  /** Fields of the answer that are different. */
  readonly raw?: Readonly<Record<string, unknown>>
}

export interface UtxoChain {
  /** Oldest first. A test may change it between two questions. */
  transactions: readonly UtxoTransaction[]
  newest: number
  /** Seconds since 1970 of the newest block. */
  newestAtS: number
  secondsPerBlock: number
  landmark: { readonly height: number; readonly hash: string }
  /** Part of the hashes of blocks: another one is another past. */
  branch: number
}

export interface UtxoQuirks {
  /** Transactions of a page at most. */
  readonly pageRows?: number
  readonly inSync?: boolean
  /** A transaction that is not in a block yet. */
  readonly mempool?: UtxoTransaction
}

const atS = (chain: UtxoChain, height: number): number =>
  chain.newestAtS - (chain.newest - height) * chain.secondsPerBlock
const blockHash = (chain: UtxoChain, height: number): string =>
  height === chain.landmark.height
    ? chain.landmark.hash
    : `${chain.branch.toString(16).padStart(32, '0')}${height.toString(16).padStart(32, '0')}`
const sum = (all: readonly UtxoPart[]): number => all.reduce((total, { value }) => total + value, 0)

function newestFirst({ transactions }: UtxoChain, address: string): readonly UtxoTransaction[] {
  return transactions
    .filter(({ inputs, outputs }) => [...inputs, ...outputs].some((part) => part.address === address))
    .toReversed()
}

export function esploraStandIn(chain: UtxoChain, { pageRows = 25, mempool }: UtxoQuirks = {}): StandIn {
  return ({ url }: StandInQuestion): StandInAnswer => {
    const [, first = '', second = '', third = '', fourth = '', last] = url.pathname
      .replace(/^\/api/, '')
      .split('/')
    if (first === 'block-height') return answered(blockHash(chain, Number(second)))
    if (first === 'blocks') {
      const top = second === '' ? chain.newest : Number(second)
      return answered(
        Array.from({ length: Math.min(10, top + 1) }, (_, below) => ({
          id: blockHash(chain, top - below),
          height: top - below,
          timestamp: atS(chain, top - below),
        })),
      )
    }
    if (first === 'tx') {
      if (mempool?.hash === second)
        return answered({ ...(esploraTransaction(chain, mempool) as object), status: { confirmed: false } })
      const found = chain.transactions.find(({ hash }) => hash === second)
      return found === undefined
        ? answered('Transaction not found', 404)
        : answered(esploraTransaction(chain, found))
    }
    const all = newestFirst(chain, decodeURIComponent(second))
    if (third === '')
      return answered({ address: decodeURIComponent(second), chain_stats: { tx_count: all.length } })
    if (`${third}/${fourth}` !== 'txs/chain') return answered('', 404)
    // After a transaction that the host does not know comes nothing.
    const after = last === undefined ? 0 : all.findIndex(({ hash }) => hash === last) + 1
    const begins = last !== undefined && after === 0 ? all.length : after
    return answered(all.slice(begins, begins + pageRows).map((one) => esploraTransaction(chain, one)))
  }
}

function esploraTransaction(
  chain: UtxoChain,
  { height, hash, inputs, outputs, raw }: UtxoTransaction,
): unknown {
  const output = ({ address, value, script = '0014' }: UtxoPart): unknown => ({
    scriptpubkey: script,
    scriptpubkey_type: address === null ? 'op_return' : 'v0_p2wpkh',
    ...(address === null ? {} : { scriptpubkey_address: address }),
    value,
  })
  const spent = inputs.map((input) => ({
    txid: 'f'.repeat(64),
    vout: 0,
    is_coinbase: false,
    prevout: output(input),
  }))
  const coinbase = { txid: '0'.repeat(64), vout: 4_294_967_295, prevout: null, is_coinbase: true }
  return {
    txid: hash,
    version: 2,
    vin: inputs.length === 0 ? [coinbase] : spent,
    vout: outputs.map(output),
    fee: inputs.length === 0 ? 0 : sum(inputs) - sum(outputs),
    status: {
      confirmed: true,
      block_height: height,
      block_hash: blockHash(chain, height),
      block_time: atS(chain, height),
    },
    ...raw,
  }
}

export function blockbookStandIn(chain: UtxoChain, quirks: UtxoQuirks = {}): StandIn {
  const { pageRows = 1_000, inSync = true, mempool } = quirks
  return ({ url }: StandInQuestion): StandInAnswer => {
    const path = url.pathname.replace(/^\/api(?=\/api)/, '').replace(/^\/api\/v2/, '')
    if (path === '')
      return answered({
        blockbook: { inSync, bestHeight: chain.newest, lastBlockTime: isoTime(chain.newestAtS) },
        backend: { blocks: chain.newest, bestBlockHash: blockHash(chain, chain.newest) },
      })
    if (path.startsWith('/block-index/'))
      return answered({ blockHash: blockHash(chain, Number(path.replace('/block-index/', ''))) })
    if (path.startsWith('/tx/')) {
      const asked = path.replace('/tx/', '')
      if (mempool?.hash === asked) return answered(waitingTransaction(chain, mempool))
      const found = chain.transactions.find(({ hash }) => hash === asked)
      return found === undefined
        ? answered({ error: 'Transaction not found' }, 400)
        : answered(blockbookTransaction(chain, found))
    }
    const address = decodeURIComponent(path.replace('/address/', ''))
    const query = (name: string): number => Number(url.searchParams.get(name) ?? 0)
    const all = newestFirst(chain, address)
    const to = query('to')
    const found = all.filter(({ height }) => height >= query('from') && (to === 0 || height <= to))
    const size = Math.min(query('pageSize') || pageRows, pageRows)
    const pages = Math.max(1, Math.ceil(found.length / size))
    // A page beyond the last one is the last one.
    const page = Math.min(Math.max(1, query('page')), pages)
    const isFiltered = query('from') > 0 || to > 0
    const told = found.slice((page - 1) * size, page * size).map((one) => blockbookTransaction(chain, one))
    const waiting =
      to === 0 && page === 1 && mempool !== undefined ? [waitingTransaction(chain, mempool)] : []
    return answered({
      page,
      totalPages: isFiltered && found.length >= size ? -1 : pages,
      itemsOnPage: size,
      address,
      balance: '0',
      txs: all.length,
      ...(told.length + waiting.length === 0 ? {} : { transactions: [...waiting, ...told] }),
    })
  }
}

/** With the digits and the zone of Go. */
const isoTime = (seconds: number): string =>
  new Date(seconds * 1_000).toISOString().replace('.000Z', '.547762973+00:00')

function waitingTransaction(chain: UtxoChain, one: UtxoTransaction): unknown {
  const told = blockbookTransaction(chain, one) as Readonly<Record<string, unknown>>
  return { ...told, blockHash: undefined, blockHeight: -1, confirmations: 0, blockTime: chain.newestAtS }
}

function blockbookTransaction(chain: UtxoChain, transaction: UtxoTransaction): unknown {
  const { height, hash, inputs, outputs, raw } = transaction
  const part = ({ address, value, script, described }: UtxoPart, n: number): object => ({
    n,
    value: String(value),
    ...(script === undefined ? {} : { hex: script }),
    addresses: address === null ? (described ?? null) : [address],
    isAddress: address !== null,
  })
  const spent = inputs.map((input, n) => ({ txid: 'f'.repeat(64), vout: n, sequence: 1, ...part(input, n) }))
  return {
    txid: hash,
    version: 2,
    vin: inputs.length === 0 ? [{ n: 0, isAddress: false, coinbase: '0452' }] : spent,
    vout: outputs.map(part),
    blockHash: blockHash(chain, height),
    blockHeight: height,
    confirmations: chain.newest - height + 1,
    blockTime: atS(chain, height),
    value: String(sum(outputs)),
    valueIn: String(sum(inputs)),
    fees: String(Math.max(0, sum(inputs) - sum(outputs))),
    ...raw,
  }
}
