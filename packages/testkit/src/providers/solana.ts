/** A stand-in of a Solana node about a ledger that a test makes up. Source of the forms: solana.com/docs/rpc, and recorded answers. */
import { answered, type StandIn, type StandInAnswer, type StandInQuestion } from './stand-in.js'

export interface SolanaTransaction {
  readonly slot: number
  readonly signature: string
  /** Lamports before and after, by account; the first pays the fee. */
  readonly accounts: readonly (readonly [key: string, before: number, after: number])[]
  readonly tokens?: readonly {
    readonly account: string
    readonly mint: string
    /** Absent in old transactions. */
    readonly owner?: string
    /** Absent if the account does not exist then. */
    readonly before?: number
    readonly after?: number
  }[]
  readonly instructions?: readonly unknown[]
  readonly inner?: readonly unknown[]
  readonly fee?: number
  readonly err?: unknown
  readonly raw?: Readonly<Record<string, unknown>>
}

export interface SolanaLedger {
  /** Oldest first. A test may change it between two questions. */
  transactions: readonly SolanaTransaction[]
  newest: number
  /** Seconds since 1970 of the newest slot. */
  newestAtS: number
  /** Present token accounts with owner and mint. */
  tokenAccounts: readonly { readonly account: string; readonly owner: string; readonly mint: string }[]
}

export interface SolanaQuirks {
  /** Signatures of a page at most. */
  readonly pageRows?: number
  readonly genesis?: string
  readonly firstBlock?: number
  /** Signatures whose transactions the node has pruned. */
  readonly pruned?: readonly string[]
  /** Signatures that are not finalized yet. */
  readonly young?: readonly string[]
}

const GENESIS = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'
const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'

interface Call {
  readonly id: number
  readonly method: string
  readonly params: readonly [string, Readonly<Record<string, unknown>>]
}

export function solanaStandIn(ledger: SolanaLedger, quirks: SolanaQuirks = {}): StandIn {
  return ({ body }: StandInQuestion): StandInAnswer => {
    // Services that keep old blocks refuse several calls in one message.
    if (Array.isArray(body))
      return answered({ jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'no batches' } })
    const { id, method, params } = body as Call
    const result = resultOf(ledger, quirks, { id, method, params })
    return answered({ jsonrpc: '2.0', id, ...result })
  }
}

function resultOf(ledger: SolanaLedger, quirks: SolanaQuirks, { method, params }: Call): object {
  const { pageRows = 1_000, genesis = GENESIS, firstBlock = 0, pruned = [], young = [] } = quirks
  const [of, config] = params
  if (method === 'getGenesisHash') return { result: genesis }
  if (method === 'getSlot') return { result: ledger.newest }
  if (method === 'getBlockTime') return { result: ledger.newestAtS }
  if (method === 'getFirstAvailableBlock') return { result: firstBlock }
  if (method === 'getTokenAccountsByOwner')
    return {
      result: {
        context: { slot: ledger.newest },
        value: ledger.tokenAccounts
          .filter(({ owner }) => owner === of && config['programId'] === TOKEN_PROGRAM)
          .map(({ account: pubkey, mint }) => ({
            pubkey,
            account: { data: { parsed: { info: { mint } } } },
          })),
      },
    }
  if (method === 'getSignaturesForAddress') {
    const all = ledger.transactions
      .filter(({ accounts }) => accounts.some(([key]) => key === of))
      .toReversed()
    const before = config['before']
    const begins = before === undefined ? 0 : all.findIndex(({ signature }) => signature === before) + 1
    const limit = Math.min(Number(config['limit'] ?? 1_000), pageRows)
    return {
      result: all.slice(begins, begins + limit).map(({ signature, slot, err = null }) => ({
        ...{ signature, slot, err, memo: null, blockTime: blockTime(ledger, slot) },
        confirmationStatus: 'finalized',
      })),
    }
  }
  if (method === 'getSignatureStatuses') {
    const [name = ''] = of as unknown as readonly string[]
    const known = ledger.transactions.find(({ signature }) => signature === name)
    const confirmationStatus = young.includes(name) ? 'confirmed' : 'finalized'
    const status =
      known === undefined ? null : { slot: known.slot, err: known.err ?? null, confirmationStatus }
    return { result: { context: { slot: ledger.newest }, value: [status] } }
  }
  const found = ledger.transactions.find(({ signature }) => signature === of)
  if (found === undefined || pruned.includes(of) || young.includes(of)) return { result: null }
  if (found.raw?.['version'] === 1)
    return { error: { code: -32_015, message: 'Transaction version (1) is not supported' } }
  return { result: transactionOf(ledger, found) }
}

const blockTime = ({ newestAtS, newest }: SolanaLedger, slot: number): number =>
  newestAtS - Math.floor((newest - slot) * 0.4)

function transactionOf(ledger: SolanaLedger, told: SolanaTransaction): unknown {
  const {
    slot,
    signature,
    accounts,
    tokens = [],
    instructions = [],
    inner = [],
    fee = 5_000,
    err = null,
  } = told
  const balances = (side: 'before' | 'after'): unknown =>
    tokens.flatMap(({ account, mint, owner, [side]: amount }) =>
      amount === undefined
        ? []
        : [
            {
              accountIndex: accounts.findIndex(([key]) => key === account),
              mint,
              ...(owner === undefined ? {} : { owner }),
              uiTokenAmount: { amount: String(amount), decimals: 6, uiAmount: null, uiAmountString: '…' },
            },
          ],
    )
  return {
    slot,
    blockTime: blockTime(ledger, slot),
    version: 0,
    transaction: {
      signatures: [signature],
      message: {
        accountKeys: accounts.map(([pubkey]) => ({
          pubkey,
          signer: false,
          writable: true,
          source: 'transaction',
        })),
        instructions,
      },
    },
    meta: {
      err,
      fee,
      preBalances: accounts.map(([, before]) => before),
      postBalances: accounts.map(([, , after]) => after),
      preTokenBalances: balances('before'),
      postTokenBalances: balances('after'),
      innerInstructions: inner.length === 0 ? [] : [{ index: 0, instructions: inner }],
    },
    ...told.raw,
  }
}
