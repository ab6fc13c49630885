/**
 * Blocks of a host with the API of Etherscan. Blockscout has the same lists, but not always the module `proxy`: its own API
 * (https://docs.blockscout.com/devs/apis/rest) then gives the blocks, and tells whether all calls are indexed.
 */
import { z } from 'zod'
import { count, hexCount, hexHash, readAnswer, unixSeconds } from '../answer-fields.js'
import type { ProviderHttp } from '../provider-http.js'
import { ProviderError } from '../provider-error.js'
import { proxyAnswer, refuseNotice } from '../providers/etherscan.js'

export interface EvmBlock {
  readonly height: number
  readonly hash: string
  /** Seconds since 1970. */
  readonly atS: number
}

export interface EvmBlocks {
  newest(http: ProviderHttp): Promise<EvmBlock>
  at(http: ProviderHttp, height: number): Promise<EvmBlock>
  /** Whether the host has the calls of all blocks. Throws `stale` while it has not all blocks. */
  hasAllCalls(http: ProviderHttp): Promise<boolean>
}

const proxied = z
  .object({ number: hexCount, hash: hexHash, timestamp: hexCount })
  .transform(({ number, hash, timestamp }): EvmBlock => ({ height: number, hash, atS: timestamp }))
const ofBlockscout = z
  .object({
    height: count,
    hash: hexHash,
    timestamp: z.iso.datetime({ offset: true }).transform((text) => Math.floor(Date.parse(text) / 1_000)),
  })
  .transform(({ height, hash, timestamp }): EvmBlock => ({ height, hash, atS: timestamp }))
const newestOfBlockscout = z.array(ofBlockscout).min(1).max(100)
const indexingStatus = z.object({ finished_indexing: z.boolean(), finished_indexing_blocks: z.boolean() })

export function evmBlocks(everywhere: Readonly<Record<string, string>>): EvmBlocks {
  let isBlockscout = false

  const block = async (http: ProviderHttp, height: number | null): Promise<EvmBlock> => {
    if (!isBlockscout)
      try {
        return await proxiedBlock(http, height)
      } catch (error) {
        if (!(error instanceof ProviderError) || error.code !== 'refused') throw error
        const told = await blockOfBlockscout(http, height)
        isBlockscout = true
        return told
      }
    return blockOfBlockscout(http, height)
  }
  const proxiedBlock = async (http: ProviderHttp, height: number | null): Promise<EvmBlock> => {
    const action = 'eth_getBlockByNumber'
    const tag = height === null ? 'latest' : `0x${height.toString(16)}`
    const answer = await http.getJson('', { ...everywhere, module: 'proxy', action, tag, boolean: 'false' })
    refuseNotice(answer)
    return sameHeight(readAnswer(proxied, readAnswer(proxyAnswer, answer, action).result, action), height)
  }
  const blockOfBlockscout = async (http: ProviderHttp, height: number | null): Promise<EvmBlock> => {
    if (height === null)
      return readAnswer(
        newestOfBlockscout,
        await http.getJson('/v2/main-page/blocks'),
        'main-page/blocks',
      )[0]!
    return sameHeight(readAnswer(ofBlockscout, await http.getJson(`/v2/blocks/${height}`), 'blocks'), height)
  }
  return {
    newest: (http) => block(http, null),
    at: (http, height) => block(http, height),
    async hasAllCalls(http) {
      if (!isBlockscout) return true
      const answer = await http.getJson('/v2/main-page/indexing-status')
      const status = readAnswer(indexingStatus, answer, 'indexing-status')
      if (!status.finished_indexing_blocks)
        throw new ProviderError('stale', 'the provider says that it has not all blocks')
      return status.finished_indexing
    },
  }
}

function sameHeight(block: EvmBlock, asked: number | null): EvmBlock {
  readAnswer(unixSeconds.or(z.literal(0)), block.atS, 'timestamp')
  if (asked !== null && block.height !== asked) throw new ProviderError('malformed', 'another block')
  return block
}
