/**
 * Histories from Solana JSON-RPC (https://solana.com/docs/rpc), at commitment `finalized`, where nothing is replaced. The signatures of an
 * address name the transactions that name it; what arrives at a token account of the address names only that account, so that those are
 * read too: the present ones, and those that a transaction shows. Heights are slots.
 */
import { findAsset } from '@cupel/domain'
import { z } from 'zod'
import { count, listOf, unixSeconds } from '../answer-fields.js'
import { SOLANA_GENESIS, refuseStaleHead } from '../chain-identity.js'
import { callOne, resultOf, type RpcOutcome } from '../json-rpc.js'
import type { ProviderHttp } from '../provider-http.js'
import { ProviderError } from '../provider-error.js'
import { createFindings, type Findings } from './findings.js'
import type { HistoryEnd, HistoryPage, HistoryStart, CheckedHistorySource } from './history-source.js'
import { smallerPage } from './smaller-page.js'
import { readSolanaTransaction } from './solana-rows.js'
import type { TransferLine } from './transfer-line.js'

/** The most that a node gives. Each signature comes with memos that anyone may write. */
const PAGE_SIGNATURES = 1_000
/** Transactions of one step. */
const STEP_TRANSACTIONS = 20
/** An address with more is a service, whose history is not read whole. */
const MAX_SIGNATURES = 50_000
/** Token accounts whose signatures are read. */
const MAX_ACCOUNTS = 200
const TOKEN_PROGRAMS = [
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
]
/** The code of a transaction of a version that the caller does not read. */
const UNSUPPORTED_VERSION = -32_015

export interface SolanaHistoryOptions {
  readonly provider: string
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly pageSignatures?: number
}

const commitment = 'finalized'
const account = z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/)
const signature = z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{64,88}$/)
const tokenAccounts = z.object({
  value: listOf(
    z.object({
      pubkey: account,
      account: z.object({ data: z.object({ parsed: z.object({ info: z.object({ mint: account }) }) }) }),
    }),
  ),
})
const signatures = z.array(z.object({ signature, slot: count })).max(PAGE_SIGNATURES)
type Signature = z.output<typeof signatures>[number]

export function solanaHistory(options: SolanaHistoryOptions): CheckedHistorySource {
  const { provider, now, pageSignatures = PAGE_SIGNATURES } = options
  const start = async (http: ProviderHttp): Promise<HistoryStart & { readonly firstBlock: number }> => {
    const ask = async <T extends z.ZodType>(method: string, params: readonly unknown[], schema: T) =>
      resultOf(await callOne(http, { method, params }), schema, method)
    if ((await ask('getGenesisHash', [], z.string().max(128))) !== SOLANA_GENESIS)
      throw new ProviderError('wrong_chain', 'the provider serves another cluster')
    const height = await ask('getSlot', [{ commitment }], count)
    const atS = await ask('getBlockTime', [height], unixSeconds)
    refuseStaleHead(atS, now())
    // A node that has pruned old blocks gives no error, but fewer signatures.
    const firstBlock = await ask('getFirstAvailableBlock', [], count)
    return {
      head: { height, hash: null, atS },
      lacks: firstBlock > 0 ? [{ gap: 'truncated' }] : [],
      firstBlock,
    }
  }
  return {
    start,
    provider,
    chain: 'SOL',
    kinds: ['native', 'token'],
    format: 'csv',
    async *read(address, { fromHeight, http }): AsyncGenerator<HistoryPage, HistoryEnd, undefined> {
      const { head, firstBlock } = await start(http)
      const { height } = head
      if (fromHeight !== null && fromHeight > height)
        throw new ProviderError('stale', 'the provider is behind the known history')
      const findings = createFindings(['native', 'token'])
      if (firstBlock > (fromHeight ?? 0)) findings.lacks('truncated')
      const accounts = new Set([address])
      for (const programId of TOKEN_PROGRAMS) {
        const params = [address, { programId }, { commitment, encoding: 'jsonParsed' }]
        for (const { pubkey, account: held } of (await heldBy(http, params)).value)
          if (isCounted(held.data.parsed.info.mint)) accounts.add(pubkey)
      }
      const reading: Reading = { http, address, accounts, findings, seen: new Set(), pageSignatures }
      const range = { from: (fromHeight ?? -1) + 1, to: height }
      let pages = 0
      // A set that grows while it is read is read to its end.
      for (const one of accounts)
        for await (const lines of stepsOf(one, range, reading))
          yield { lines, pages: ++pages, pagesExpected: null }
      return findings.end(head)
    },
  }
}

const heldBy = async (
  http: ProviderHttp,
  params: readonly unknown[],
): Promise<z.output<typeof tokenAccounts>> => {
  const method = 'getTokenAccountsByOwner'
  return resultOf(await callOne(http, { method, params }), tokenAccounts, method)
}

/** Other tokens can be made by anyone: a transfer of one that does not name the address is not looked for. */
const isCounted = (mint: string): boolean => findAsset('SOL', mint) !== undefined

interface Reading {
  readonly http: ProviderHttp
  readonly address: string
  /** The address and its token accounts; a transaction may show further ones. */
  readonly accounts: Set<string>
  readonly findings: Findings
  /** Signatures whose transactions are read. */
  readonly seen: Set<string>
  readonly pageSignatures: number
}

/** The lines of the transactions that name an account, some at a time. */
async function* stepsOf(
  account: string,
  range: { readonly from: number; readonly to: number },
  reading: Reading,
): AsyncGenerator<readonly TransferLine[], void, undefined> {
  const { findings, seen, accounts } = reading
  let before: string | undefined
  let lowest = Infinity
  for (;;) {
    const page = await pageBefore(account, before, reading)
    if (page === null || seen.size > MAX_SIGNATURES || accounts.size > MAX_ACCOUNTS)
      return findings.lacks('truncated')
    // Shorter pages are not the last ones: a node joins two stores. Only an empty one is.
    if (page.length === 0) return
    const ordered = page.every(({ slot }, index) => slot <= (page[index - 1]?.slot ?? lowest))
    if (!ordered || page.some((one) => one.signature === before)) return findings.lacks('contradicting_pages')
    before = page.at(-1)!.signature
    lowest = page.at(-1)!.slot
    const wanted = page.filter(
      ({ slot, signature: name }) => slot >= range.from && slot <= range.to && !seen.has(name),
    )
    for (const { signature: name } of wanted) seen.add(name)
    for (let index = 0; index < wanted.length; index += STEP_TRANSACTIONS) {
      const lines: TransferLine[] = []
      for (const one of wanted.slice(index, index + STEP_TRANSACTIONS))
        lines.push(...(await linesOf(one, account, reading)))
      yield lines
    }
    if (lowest < range.from) return
  }
}

/** Null if one signature is too large to be read. */
async function pageBefore(
  account: string,
  before: string | undefined,
  { http, pageSignatures }: Reading,
): Promise<readonly Signature[] | null> {
  for (let limit = pageSignatures; limit >= 1; limit = smallerPage(limit))
    try {
      const config = { commitment, limit, ...(before === undefined ? {} : { before }) }
      const method = 'getSignaturesForAddress'
      return resultOf(await callOne(http, { method, params: [account, config] }), signatures, method)
    } catch (error) {
      if (!(error instanceof ProviderError) || error.code !== 'too_large') throw error
    }
  return null
}

async function linesOf(one: Signature, account: string, reading: Reading): Promise<readonly TransferLine[]> {
  const { http, address, accounts, findings } = reading
  const method = 'getTransaction'
  const config = { commitment, encoding: 'jsonParsed', maxSupportedTransactionVersion: 0 }
  const outcome = await transactionOf(http, { method, params: [one.signature, config] })
  if (outcome === null) findings.lacks('truncated')
  else if (!outcome.ok && outcome.code === UNSUPPORTED_VERSION) findings.lacks('unreadable_rows')
  else {
    const told = resultOf(outcome, z.unknown(), method)
    // A node may know a signature whose transaction it has pruned.
    if (told === null) findings.lacks('truncated')
    else {
      const read = readSolanaTransaction(told, { ...one, account, address, accounts })
      if (read === null) findings.lacks('unreadable_rows')
      for (const found of read?.tokenAccounts ?? []) if (isCounted(found.mint)) accounts.add(found.account)
      return read?.lines ?? []
    }
  }
  return []
}

/** Null if the transaction is too large to be read. */
async function transactionOf(
  http: ProviderHttp,
  call: { readonly method: string; readonly params: readonly unknown[] },
): Promise<RpcOutcome | null> {
  try {
    return await callOne(http, call)
  } catch (error) {
    if (error instanceof ProviderError && error.code === 'too_large') return null
    throw error
  }
}
