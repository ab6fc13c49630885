/** A node of Ethereum that answers after a time of the bench's choosing, with one state for every address. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface SlowNode {
  readonly url: string
  delayMs: number
  /** Messages since it was last asked. */
  takeCount(): number
  close(): Promise<void>
}

interface Call {
  readonly id: number
  readonly method: string
}

const results: Readonly<Record<string, () => unknown>> = {
  eth_chainId: () => '0x1',
  eth_getBlockByNumber: () => ({
    number: '0x18825df',
    hash: `0x${'7d'.repeat(32)}`,
    timestamp: `0x${Math.floor(Date.now() / 1_000).toString(16)}`,
  }),
  eth_getBalance: () => '0x60a24181e4000',
  eth_getTransactionCount: () => '0x596',
  eth_getCode: () => '0x',
  eth_call: () => `0x${'0'.repeat(64)}`,
}

export async function startSlowNode(): Promise<SlowNode> {
  let messages = 0
  const http = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      messages += 1
      const calls = JSON.parse(Buffer.concat(chunks).toString()) as readonly Call[]
      const replies = calls.map(({ id, method }) => ({ jsonrpc: '2.0', id, result: results[method]?.() }))
      setTimeout(() => response.end(JSON.stringify(replies)), node.delayMs)
    })
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const node: SlowNode = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    delayMs: 0,
    takeCount() {
      const count = messages
      messages = 0
      return count
    },
    async close() {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
  return node
}
