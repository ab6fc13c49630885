/**
 * The transfers of one Solana transaction. The balances before and after it are the truth of amounts. Instructions tell who paid whom; where
 * those that are known explain the whole change of the address and of its counterparties, they are the transfers. Elsewhere, as in swaps, each
 * side that lost of an asset paid the address its share, and each that won got its share, as with spent outputs. Wrapped SOL lies as lamports
 * in token accounts, so that it is SOL here.
 */
import { z } from 'zod'
import { baseUnits, count, unixSeconds } from '../answer-fields.js'
import { ProviderError } from '../provider-error.js'
import { transferLine, type TransferLine } from './transfer-line.js'

const WRAPPED = 'So11111111111111111111111111111111111111112'
/** The asset of lamports. */
const NATIVE = ''
const MAX_ACCOUNTS = 512
const MAX_INSTRUCTIONS = 5_000

const pubkey = z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/)
const tokenBalances = z
  .array(
    z.object({
      accountIndex: count,
      mint: pubkey,
      owner: pubkey.optional(),
      uiTokenAmount: z.object({ amount: baseUnits }),
    }),
  )
  .max(MAX_ACCOUNTS)
  .nullish()
  .transform((all) => all ?? [])
const lamports = z.array(baseUnits).max(MAX_ACCOUNTS)
const instructions = z
  .array(z.object({ program: z.string().max(64).optional(), parsed: z.unknown().optional() }))
  .max(MAX_INSTRUCTIONS)
const schema = z
  .object({
    slot: count,
    blockTime: unixSeconds.nullable(),
    transaction: z.object({
      signatures: z.array(z.string().max(88)).min(1).max(MAX_ACCOUNTS),
      message: z.object({
        accountKeys: z.array(z.object({ pubkey })).min(1).max(MAX_ACCOUNTS),
        instructions,
      }),
    }),
    meta: z.object({
      err: z.unknown(),
      fee: baseUnits,
      preBalances: lamports,
      postBalances: lamports,
      preTokenBalances: tokenBalances,
      postTokenBalances: tokenBalances,
      innerInstructions: z.array(z.object({ instructions })).max(MAX_INSTRUCTIONS).nullish(),
    }),
  })
  .refine(({ transaction: { message }, meta }) =>
    [meta.preBalances, meta.postBalances].every((all) => all.length === message.accountKeys.length),
  )
type Transaction = z.output<typeof schema>

const paysLamports = z.object({
  type: z.enum(['transfer', 'transferWithSeed', 'createAccount', 'createAccountWithSeed']),
  info: z.object({
    source: pubkey,
    destination: pubkey.optional(),
    newAccount: pubkey.optional(),
    lamports: baseUnits,
  }),
})
const paysTokens = z.object({
  type: z.enum(['transfer', 'transferChecked', 'transferCheckedWithFee']),
  info: z.object({
    source: pubkey,
    destination: pubkey,
    amount: baseUnits.optional(),
    tokenAmount: z.object({ amount: baseUnits }).optional(),
  }),
})

export interface AskedTransaction {
  readonly signature: string
  readonly slot: number
  /** The account whose signatures name the transaction. */
  readonly account: string
  readonly address: string
  /** The address and its token accounts. */
  readonly accounts: ReadonlySet<string>
}

export interface SolanaTransfers {
  readonly lines: readonly TransferLine[]
  /** Token accounts of the address that the transaction shows. */
  readonly tokenAccounts: readonly { readonly account: string; readonly mint: string }[]
}

/** Null if its meaning is not certain. Throws malformed for another transaction than the one that was asked for. */
export function readSolanaTransaction(told: unknown, asked: AskedTransaction): SolanaTransfers | null {
  const read = schema.safeParse(told)
  if (!read.success) return null
  const { slot, blockTime, transaction, meta } = read.data
  const keys = transaction.message.accountKeys.map((key) => key.pubkey)
  if (transaction.signatures[0] !== asked.signature || slot !== asked.slot || !keys.includes(asked.account))
    throw new ProviderError('malformed', 'getTransaction: another transaction')
  const held = [...meta.preTokenBalances, ...meta.postTokenBalances]
  if (held.some(({ accountIndex }) => accountIndex >= keys.length)) return null
  const holders = holdersOf(keys, held, asked)
  const mine = held.flatMap(({ accountIndex, mint }) => {
    const account = keys[accountIndex]!
    return holders.get(account)?.owner === asked.address ? [{ account, mint }] : []
  })
  // Of a failed transaction only the fee is paid.
  if (meta.err !== null && meta.err !== undefined) return { lines: [], tokenAccounts: mine }
  const edges = [...changesOf(read.data, keys, holders)].flatMap(([asset, changes]) =>
    transfersOf(asked.address, changes, paymentsOf(read.data, asset, holders)).map((edge) => ({
      ...edge,
      asset,
    })),
  )
  const lines = edges.map(({ from, to, amount, asset }) =>
    transferLine('SOL', {
      kind: asset === NATIVE ? 'native' : 'token',
      block_number: String(slot),
      block_time: blockTime === null ? '' : String(blockTime),
      tx_hash: asked.signature,
      asset_address: asset,
      ...{ from_address: from, to_address: to, amount_raw: amount.toString(), status: '1' },
    }),
  )
  return { lines, tokenAccounts: mine }
}

/** Owner and mint of each token account. Old transactions do not state the owner. */
type Holders = ReadonlyMap<string, { readonly owner: string; readonly mint: string }>

function holdersOf(
  keys: readonly string[],
  held: Transaction['meta']['preTokenBalances'],
  { address, accounts }: AskedTransaction,
): Holders {
  return new Map(
    held.map(({ accountIndex, mint, owner }) => {
      const account = keys[accountIndex]!
      return [account, { owner: owner ?? (accounts.has(account) ? address : account), mint }]
    }),
  )
}

type Changes = ReadonlyMap<string, bigint>

/** What each owner won or lost of each asset, the fee apart. */
function changesOf(
  { meta }: Transaction,
  keys: readonly string[],
  holders: Holders,
): ReadonlyMap<string, Changes> {
  const all = new Map<string, Map<string, bigint>>()
  const add = (asset: string, owner: string, units: bigint): void => {
    const ofAsset = all.get(asset) ?? new Map<string, bigint>()
    all.set(asset, ofAsset.set(owner, (ofAsset.get(owner) ?? 0n) + units))
  }
  for (const [index, key] of keys.entries()) {
    const change = BigInt(meta.postBalances[index]!) - BigInt(meta.preBalances[index]!)
    add(NATIVE, holders.get(key)?.owner ?? key, index === 0 ? change + BigInt(meta.fee) : change)
  }
  for (const [balances, sign] of [
    [meta.preTokenBalances, -1n],
    [meta.postTokenBalances, 1n],
  ] as const)
    for (const { accountIndex, mint, uiTokenAmount } of balances)
      if (mint !== WRAPPED)
        add(mint, holders.get(keys[accountIndex]!)!.owner, sign * BigInt(uiTokenAmount.amount))
  return all
}

interface Edge {
  readonly from: string
  readonly to: string
  readonly amount: bigint
}

/** What the instructions pay between owners. */
function paymentsOf({ transaction, meta }: Transaction, asset: string, holders: Holders): readonly Edge[] {
  const inner = (meta.innerInstructions ?? []).flatMap((one) => one.instructions)
  return [...transaction.message.instructions, ...inner].flatMap(({ program, parsed }): readonly Edge[] => {
    const isTokens = program === 'spl-token' || program === 'spl-token-2022'
    const told = isTokens
      ? paysTokens.safeParse(parsed)
      : program === 'system'
        ? paysLamports.safeParse(parsed)
        : null
    if (told?.success !== true) return []
    const { info } = told.data
    const destination = info.destination ?? ('newAccount' in info ? info.newAccount : undefined)
    const units = 'lamports' in info ? info.lamports : (info.amount ?? info.tokenAmount?.amount)
    if (destination === undefined || units === undefined) return []
    const mint = holders.get(info.source)?.mint ?? holders.get(destination)?.mint
    const moved = isTokens ? (mint === WRAPPED ? NATIVE : mint) : NATIVE
    if (moved !== asset) return []
    const ownerOf = (key: string): string => holders.get(key)?.owner ?? key
    return [{ from: ownerOf(info.source), to: ownerOf(destination), amount: BigInt(units) }]
  })
}

function transfersOf(address: string, changes: Changes, payments: readonly Edge[]): readonly Edge[] {
  const own = changes.get(address) ?? 0n
  const mine = payments.filter(({ from, to }) => from !== to && (from === address || to === address))
  const told = mine.reduce((sum, { to, amount }) => sum + (to === address ? amount : -amount), 0n)
  // A counterparty without a change only passed the amount on.
  const areEnds = mine.every(({ from, to }) => (changes.get(from === address ? to : from) ?? 0n) !== 0n)
  if (told === own && areEnds) return mine
  return own === 0n ? [] : shares(address, own, changes)
}

/** The change of the address, divided among those on the other side by what they lost or won. Without any, nobody is known. */
function shares(address: string, own: bigint, changes: Changes): readonly Edge[] {
  const isIncoming = own > 0n
  const others = [...changes].filter(
    ([owner, units]) => owner !== address && (isIncoming ? units < 0n : units > 0n),
  )
  const total = others.reduce((sum, [, units]) => sum + abs(units), 0n)
  const edge = (other: string, amount: bigint): Edge =>
    isIncoming ? { from: other, to: address, amount } : { from: address, to: other, amount }
  if (total === 0n) return [edge('', abs(own))]
  let left = abs(own)
  return others
    .map(([owner, units], index) => {
      const amount = index === others.length - 1 ? left : (abs(own) * abs(units)) / total
      left -= amount
      return edge(owner, amount)
    })
    .filter(({ amount }) => amount > 0n)
}

const abs = (units: bigint): bigint => (units < 0n ? -units : units)
