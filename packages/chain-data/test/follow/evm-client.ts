/** An Ethereum client with real blocks: `anvil` of Foundry, where this machine has it. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { until } from '@cupel/testkit'
import { AVAX_CHAIN_ID } from './followed.js'

const PROGRAM = process.env['CUPEL_TEST_ANVIL'] ?? 'anvil'

export const hasEvmClient = (): boolean => spawnSync(PROGRAM, ['--version']).status === 0

export interface EvmClient {
  readonly url: string
  ask<T>(method: string, ...params: readonly unknown[]): Promise<T>
  close(): Promise<void>
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { readonly port: number }
  server.close()
  await once(server, 'close')
  return port
}

export async function startEvmClient(): Promise<EvmClient> {
  const port = await freePort()
  const args = [
    '--port',
    String(port),
    '--chain-id',
    String(AVAX_CHAIN_ID),
    '--no-mining',
    '--steps-tracing',
    '--silent',
  ]
  const child = spawn(PROGRAM, args, { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  const ask = async <T>(method: string, ...params: readonly unknown[]): Promise<T> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    const { result, error } = (await response.json()) as {
      readonly result: T
      readonly error?: { readonly message: string }
    }
    if (error !== undefined) throw new Error(`${method}: ${error.message}`)
    return result
  }
  await until(async () => void (await ask('eth_chainId')))
  return {
    ...{ url, ask },
    async close() {
      child.kill()
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}
