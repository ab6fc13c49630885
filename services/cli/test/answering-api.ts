/** Commands that call an API, which notes each call and answers with a given document. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createContext } from '@cupel/command-line'
import { createProgram } from '../src/program.js'

export interface AnsweringApi {
  /** Those of the last command. */
  readonly calls: readonly { readonly call: string; readonly body: unknown }[]
  /** Runs a command and resolves to what it prints. */
  run(answered: object, ...args: string[]): Promise<string>
  close(): void
}

export async function openAnsweringApi(): Promise<AnsweringApi> {
  const calls: { call: string; body: unknown }[] = []
  let document: object = {}
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      calls.push({ call: `${request.method} ${request.url}`, body: body === '' ? null : JSON.parse(body) })
      if (request.method === 'DELETE') response.writeHead(204).end()
      else response.end(JSON.stringify(document))
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const environment = {
    CUPEL_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ CUPEL_API_KEY: 'key', CUPEL_HOME: '/nowhere' },
  }
  return {
    calls,
    async run(answered, ...args) {
      calls.length = 0
      document = answered
      const said: string[] = []
      const print = (text: string): void => void said.push(text)
      const program = await createProgram({ ...createContext(environment, args), print, note: print }, args)
      await program.parseAsync(args, { from: 'user' })
      return said.join('\n')
    },
    close: () => void server.close(),
  }
}
