/** A stand-in of TronGrid about a chain that a test makes up. Source of the forms: recorded answers of api.trongrid.io. */
import { answered, type StandIn, type StandInAnswer, type StandInQuestion } from './stand-in.js'

export interface TronMovement {
  readonly list: 'transaction' | 'call' | 'trc20'
  readonly height: number
  readonly hash: string
  /** In base58. */
  readonly from: string
  readonly to: string
  readonly value: number | bigint
  readonly type?: string
  readonly result?: string
  /** Contract of a token, in base58. */
  readonly token?: string
  readonly raw?: Readonly<Record<string, unknown>>
  /** Fields of the transaction by its hash, and of its outcome, that are different. */
  readonly rawTransaction?: Readonly<Record<string, unknown>>
  readonly rawOutcome?: Readonly<Record<string, unknown>>
}

export interface TronChain {
  /** Oldest first. A test may change it between two questions. */
  movements: readonly TronMovement[]
  newest: number
  /** Milliseconds since 1970 of the newest block. */
  newestAtMs: number
  /** Part of the hashes of blocks: another one is another past. */
  branch: number
  /** Heights before which two blocks were left out. */
  readonly pauses?: readonly number[]
}

export interface TronQuirks {
  /** Rows of a page at most. */
  readonly pageRows?: number
  readonly genesis?: string
  /** The hex form of an address. */
  readonly hexOf: (address: string) => string
  /** Whether the list of transactions has calls. */
  readonly hasCalls?: boolean
  /** Whether the first row of a page repeats the last one of the page before. */
  readonly repeats?: boolean
}

const GENESIS = '00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc'
const MS_PER_BLOCK = 3_000

const atMs = ({ newestAtMs, newest, pauses = [] }: TronChain, height: number): number =>
  newestAtMs - (newest - height + pauses.filter((one) => one > height).length * 2) * MS_PER_BLOCK

export function tronGridStandIn(chain: TronChain, quirks: TronQuirks): StandIn {
  const { pageRows = 200, genesis = GENESIS, hexOf, hasCalls = true, repeats = false } = quirks
  return ({ url, body }: StandInQuestion): StandInAnswer => {
    const path = url.pathname.replace(/^\/api/, '')
    if (path === '/wallet/getblock') {
      const asked = (body as { readonly id_or_num?: string }).id_or_num
      const height = asked === undefined ? chain.newest : Number(asked)
      if (height === 0) return answered({ blockID: genesis, block_header: { raw_data: {} } })
      const blockID = `${height.toString(16).padStart(16, '0')}${chain.branch.toString(16).padStart(48, '0')}`
      return answered({
        blockID,
        block_header: { raw_data: { number: height, timestamp: atMs(chain, height) } },
      })
    }
    const byId = /^\/wallet\/gettransaction(info)?byid$/.exec(path)
    if (byId !== null) {
      const id = (body as { readonly value?: string }).value
      const moved = chain.movements.filter(({ hash }) => hash === id)
      if (moved.length === 0) return answered({})
      return answered(
        byId[1] === undefined ? transactionOf(chain, moved, hexOf) : outcomeOf(chain, moved, hexOf),
      )
    }
    const [, address = '', isToken] = /^\/v1\/accounts\/([^/]+)\/transactions(\/trc20)?$/.exec(path) ?? []
    const query = (name: string): string | null => url.searchParams.get(name)
    const all = chain.movements
      .filter(({ list }) => (list === 'trc20') === (isToken !== undefined))
      .filter(({ list }) => list !== 'call' || (hasCalls && query('search_internal') !== 'false'))
      .filter(({ from, to }) => from === address || to === address)
      .filter(({ height }) => atMs(chain, height) >= Number(query('min_timestamp') ?? 0))
      .filter(({ height }) => atMs(chain, height) <= Number(query('max_timestamp') ?? Infinity))
      .toReversed()
    const begins = Number(query('fingerprint')?.replace('after-', '') ?? 0)
    const size = Math.min(Number(query('limit') ?? 20), pageRows)
    const ends = begins + size
    const data = all
      .slice(repeats ? Math.max(0, begins - 1) : begins, ends)
      .map((one) => tronRow(chain, one, hexOf, address))
    const next = ends < all.length ? { fingerprint: `after-${ends}`, links: { next: 'https://…' } } : {}
    return answered({ data, success: true, meta: { at: chain.newestAtMs, page_size: data.length, ...next } })
  }
}

function tronRow(
  chain: TronChain,
  movement: TronMovement,
  hexOf: TronQuirks['hexOf'],
  mine: string,
): unknown {
  const { list, height, hash, from, to, value, type = 'TransferContract', result = 'SUCCESS', raw } = movement
  const block_timestamp = atMs(chain, height)
  if (list === 'trc20')
    return {
      transaction_id: hash,
      token_info: { symbol: 'USDT', address: movement.token, decimals: 0, name: 'Tether USD' },
      ...{ block_timestamp, from, to, type: 'Transfer', value: String(value), ...raw },
    }
  if (list === 'call')
    return {
      internal_tx_id: `${hash.slice(1)}c`,
      data: { note: '63616c6c', rejected: result !== 'SUCCESS', call_value: { _: value } },
      ...{ block_timestamp, to_address: hexOf(to), tx_id: hash, from_address: hexOf(from), ...raw },
    }
  const paid =
    type === 'TriggerSmartContract'
      ? { contract_address: hexOf(to), call_value: value, data: 'a9059cbb' }
      : { to_address: hexOf(to), amount: value }
  const calls = chain.movements.filter((one) => one.list === 'call' && one.hash === hash)
  return {
    ret: [{ contractRet: result, fee: 345_000 }],
    signature: ['ab'],
    txID: hash,
    blockNumber: height,
    block_timestamp,
    raw_data: {
      contract: [
        {
          parameter: {
            value: { owner_address: hexOf(from), ...paid },
            type_url: `type.googleapis.com/${type}`,
          },
          type,
        },
      ],
    },
    internal_transactions: calls
      .filter((one) => one.from === mine || one.to === mine)
      .map((one) => ({ from_address: hexOf(one.from), to_address: hexOf(one.to) })),
    ...raw,
  }
}

/** A movement without one of the transaction itself is of a call of its token or payer. */
function transactionOf(
  chain: TronChain,
  moved: readonly TronMovement[],
  hexOf: TronQuirks['hexOf'],
): unknown {
  const [first] = moved
  const paid = moved.find(({ list }) => list === 'transaction') ?? {
    ...first!,
    ...{ list: 'transaction' as const, type: 'TriggerSmartContract', value: 0 },
    to: first!.token ?? first!.from,
  }
  const { txID, ret, signature, raw_data } = tronRow(chain, paid, hexOf, '') as Readonly<
    Record<string, unknown>
  >
  return { ret, signature, txID, raw_data, raw_data_hex: '0a02', ...first!.rawTransaction }
}

const bare = (hex: string): string => hex.slice(2)
const word = (hex: string): string => hex.padStart(64, '0')

/** What a node kept of the execution: nothing of a transaction without a block. */
function outcomeOf(chain: TronChain, moved: readonly TronMovement[], hexOf: TronQuirks['hexOf']): unknown {
  const [{ height, hash, result = 'SUCCESS', rawOutcome }] = moved as readonly [TronMovement]
  if (height > chain.newest) return {}
  const calls = moved.filter(({ list }) => list === 'call')
  const tokens = moved.filter(({ list }) => list === 'trc20')
  return {
    ...{ id: hash, blockNumber: height, blockTimeStamp: atMs(chain, height), fee: 1_100 },
    ...(result === 'SUCCESS' ? {} : { result: 'FAILED' }),
    ...(tokens.length === 0
      ? {}
      : {
          log: tokens.map(({ token, from, to, value }) => ({
            address: bare(hexOf(token!)),
            topics: [TRANSFER_TOPIC, word(bare(hexOf(from))), word(bare(hexOf(to)))],
            data: word(BigInt(value).toString(16)),
          })),
        }),
    ...(calls.length === 0
      ? {}
      : {
          internal_transactions: calls.map((one) => ({
            ...{ hash: 'ab'.repeat(32), caller_address: hexOf(one.from), transferTo_address: hexOf(one.to) },
            ...{ callValueInfo: [{ callValue: one.value }], note: '63616c6c', ...one.raw },
          })),
        }),
    ...rawOutcome,
  }
}

/** keccak256("Transfer(address,address,uint256)"). */
const TRANSFER_TOPIC = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
