/** A stand-in for a node of Bitcoin or a similar chain. It answers as Bitcoin Core does, from transactions that a test describes. */
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface StandInOutput {
  readonly hex: string
  readonly address?: string
  /** Base units. */
  readonly value: bigint
}

export interface StandInPayment {
  /** The outputs that it spends, `block:transaction:output`; none for a coinbase. */
  readonly spends: readonly string[]
  readonly outputs: readonly StandInOutput[]
  /** Further members, such as those of shielded pools. */
  readonly more?: Readonly<Record<string, unknown>>
}

export interface BitcoinChain {
  readonly url: string
  /** `inputs`: blocks tell what inputs spend. `transactions`: they do not. `ids`: they have only ids. */
  detail: 'inputs' | 'transactions' | 'ids'
  /** Whether transactions are found by their ids. */
  hasIndex: boolean
  meddle: ((method: string, params: readonly unknown[], result: unknown) => unknown) | null
  hashOf(height: number): string
  idOf(height: number, index: number): string
  close(): Promise<void>
}

type Json = Record<string, unknown>

const sha256 = (bytes: Buffer | string): Buffer => createHash('sha256').update(bytes).digest()

/** `1.00000001`, as a number without quotes. */
const coins = (units: bigint): string =>
  `${units / 100_000_000n}.${String(units % 100_000_000n).padStart(8, '0')}`

function rootOf(ids: readonly string[]): string {
  let level = ids.map((id) => Buffer.from(id, 'hex').reverse() as Buffer)
  while (level.length > 1) {
    if (level.length % 2 === 1) level.push(level.at(-1)!)
    level = Array.from({ length: level.length / 2 }, (_, n) =>
      sha256(sha256(Buffer.concat([level[2 * n]!, level[2 * n + 1]!]))),
    )
  }
  return Buffer.from(level[0]!).reverse().toString('hex')
}

type Results = Readonly<Record<string, (params: readonly unknown[]) => unknown>>

const hashOf = (height: number): string => sha256(`block ${height}`).toString('hex')
const idOf = (height: number, index: number): string =>
  sha256(`transaction ${height} ${index}`).toString('hex')
const refusal = (code: number, message: string): Json => ({ error: { code, message } })

function resultsOf(
  blocks: readonly (readonly StandInPayment[])[],
  timeOf: (height: number) => number,
  chain: Pick<BitcoinChain, 'detail' | 'hasIndex'>,
): Results {
  const outputOf = ({ hex, address, value }: StandInOutput): Json => ({
    value: `${coins(value)}coins`,
    scriptPubKey: { hex, ...(address === undefined ? {} : { address }) },
  })
  const inputOf = (place: string, withPrevout: boolean): Json => {
    const [height, index, output] = place.split(':').map(Number) as [number, number, number]
    const prevout = outputOf(blocks[height]![index]!.outputs[output]!)
    return { txid: idOf(height, index), vout: output, ...(withPrevout ? { prevout } : {}) }
  }
  const transactionOf = (height: number, index: number): Json => {
    const { spends, outputs, more = {} } = blocks[height]![index]!
    const vin =
      spends.length === 0
        ? [{ coinbase: '00' }]
        : spends.map((one) => inputOf(one, chain.detail === 'inputs'))
    return { ...more, txid: idOf(height, index), vin, vout: outputs.map(outputOf) }
  }
  const heights = new Map(blocks.map((_, height) => [hashOf(height), height]))
  const best = blocks.length - 1
  return {
    getblockchaininfo: () => ({ blocks: best, bestblockhash: hashOf(best) }),
    getblockheader: ([hash]) => ({
      height: heights.get(hash as string),
      time: timeOf(heights.get(hash as string)!),
    }),
    getblockhash: ([height]) =>
      (height as number) > best ? refusal(-8, 'Block height out of range') : hashOf(height as number),
    getblock([hash, verbosity]) {
      if (chain.detail === 'ids' && typeof verbosity !== 'boolean')
        return refusal(-1, 'JSON value is not a boolean as expected')
      const height = heights.get(hash as string)!
      const ids = blocks[height]!.map((_, index) => idOf(height, index))
      const tx = chain.detail === 'ids' ? ids : ids.map((_, index) => transactionOf(height, index))
      const previousblockhash = height === 0 ? {} : { previousblockhash: hashOf(height - 1) }
      return { hash, height, time: timeOf(height), merkleroot: rootOf(ids), tx, ...previousblockhash }
    },
    getrawtransaction([id]) {
      for (const [height, block] of blocks.entries())
        for (const index of block.keys())
          if (idOf(height, index) === id && chain.hasIndex && height > 0) return transactionOf(height, index)
      return refusal(-5, 'No such mempool transaction. Use -txindex')
    },
  }
}

export async function startBitcoinChain(
  blocks: readonly (readonly StandInPayment[])[],
  timeOf: (height: number) => number,
): Promise<BitcoinChain> {
  const told: Pick<BitcoinChain, 'detail' | 'hasIndex' | 'meddle'> = {
    detail: 'inputs',
    hasIndex: true,
    meddle: null,
  }
  const results = resultsOf(blocks, timeOf, told)
  const http = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const calls = JSON.parse(Buffer.concat(chunks).toString()) as readonly {
        id: number
        method: string
        params: unknown[]
      }[]
      const replies = calls.map(({ id, method, params }) => {
        const own = results[method]?.(params) ?? refusal(-32_601, 'Method not found')
        const result = told.meddle === null ? own : told.meddle(method, params, own)
        const error = (result as { readonly error?: unknown } | null)?.error
        return error === undefined ? { id, result, error: null } : { id, result: null, error }
      })
      response.end(JSON.stringify(replies).replace(/"([\d.]+)coins"/g, '$1'))
    })
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  return Object.assign(told, {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    ...{ hashOf, idOf },
    async close() {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  })
}
