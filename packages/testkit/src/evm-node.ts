/** A local Ethereum node for tests and benchmarks. It answers with the same state for every address, after a set delay. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface EvmNode {
  readonly url: string
  /** Code at every address. */
  code: string
  balanceWei: bigint
  /** Delay of an answer in milliseconds; Infinity for no answer. */
  delayMs: number
  /** Requests received so far. */
  count(): number
  close(): Promise<void>
}

interface Call {
  readonly id: number
  readonly method: string
}

export async function startEvmNode(): Promise<EvmNode> {
  let messages = 0
  const results: Readonly<Record<string, () => unknown>> = {
    eth_chainId: () => '0x1',
    eth_getBlockByNumber: () => ({
      number: '0x18825df',
      hash: `0x${'7d'.repeat(32)}`,
      timestamp: `0x${Math.floor(Date.now() / 1_000).toString(16)}`,
    }),
    eth_getBalance: () => `0x${node.balanceWei.toString(16)}`,
    eth_getTransactionCount: () => '0x596',
    eth_getCode: () => node.code,
    eth_call: () => `0x${'0'.repeat(64)}`,
  }
  const http = createServer((request, response) => {
    messages += 1
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      if (node.delayMs === Infinity) return
      const calls = JSON.parse(Buffer.concat(chunks).toString()) as readonly Call[]
      const replies = calls.map(({ id, method }) => ({ jsonrpc: '2.0', id, result: results[method]?.() }))
      setTimeout(() => response.end(JSON.stringify(replies)), node.delayMs)
    })
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const node: EvmNode = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    code: '0x',
    balanceWei: 1_700_000_000_000_000n,
    delayMs: 0,
    count: () => messages,
    async close() {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
  return node
}
