/** Providers of chain data that turn hostile, and a customer who waits for what they never give. Each attack restarts the installation. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '../client.js'
import type { Attack, Outcome } from './attack.js'
import { whileHeld } from './strangers.js'
import type { Target } from './target.js'

const WAITERS = 64
const WAIT_SECONDS = 20
/** Screens of an account that may wait at once. */
const MAX_WAITING_OF_ACCOUNT = 16
/** Each of them answers every call in its way. */
const WAYS: Readonly<Record<string, (inside: string) => RequestListener>> = {
  redirecting: (inside) => (_request, response) => response.writeHead(302, { location: inside }).end(),
  dripping: () => (_request, response) => {
    response.writeHead(200)
    const timer = setInterval(() => response.write(' '), 50)
    response.on('close', () => clearInterval(timer))
  },
  nesting: () => (_request, response) => response.end('['.repeat(2_000_000)),
  counting: () => (_request, response) => response.end(`{"result":${'1'.repeat(2_000_000)}}`),
}

export const providers: readonly Attack[] = [
  {
    name: `${Object.keys(WAYS).length} providers that redirect inside, drip, nest and count without end`,
    threat: 'exposure',
    isLong: true,
    place: 'installation',
    async run(target) {
      let reached = 0
      const inside = await listening((_request, response) => {
        reached += 1
        response.end('{}')
      })
      const hostile = await Promise.all(Object.values(WAYS).map((way) => listening(way(urlOf(inside)))))
      try {
        return await withProviders(target, { servers: hostile }, async () => {
          const { held, ...outcome } = await whileHeld(target, [])
          return {
            limit: `${outcome.limit}, and no call inside`,
            measured: `${outcome.measured}; ${reached} calls inside`,
            held: held && reached === 0,
          }
        })
      } finally {
        for (const server of [inside, ...hostile]) closed(server)
      }
    },
  },
  {
    name: `${WAITERS} screens of one account that wait for a silent provider`,
    threat: 'cost',
    isLong: true,
    async run(target) {
      const silent = await listening(() => undefined)
      try {
        return await withProviders(target, { servers: [silent] }, async () => {
          const client = createClient([target.baseUrl], target.attacker.key)
          try {
            const waiters = Array.from({ length: WAITERS }, () =>
              client.send(
                'POST',
                '/v1/screen',
                JSON.stringify({ address: `0x${randomBytes(20).toString('hex')}` }),
                {
                  prefer: `wait=${WAIT_SECONDS}`,
                },
              ),
            )
            const { held, ...outcome } = await whileHeld(target, [])
            const granted = (await Promise.all(waiters)).filter(
              ({ headers }) => headers['preference-applied'] !== undefined,
            ).length
            return {
              limit: `${outcome.limit}; at most ${MAX_WAITING_OF_ACCOUNT} wait`,
              measured: `${outcome.measured}; ${granted} of ${WAITERS} waited`,
              held: held && granted > 0 && granted <= MAX_WAITING_OF_ACCOUNT,
            }
          } finally {
            await client.close()
          }
        })
      } finally {
        closed(silent)
      }
    },
  },
]

/** The attack on an installation that asks these providers for what Ethereum says of an address. */
export async function withProviders(
  target: Target,
  {
    servers,
    settings = {},
  }: { readonly servers: readonly Server[]; readonly settings?: Readonly<Record<string, string>> },
  attack: () => Promise<Outcome>,
): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'cupel-providers-'))
  const file = join(folder, 'providers.json')
  const of = servers.map((server, index) => ({
    ...{ name: `hostile-${index}`, kind: 'etherscan', chain: 'ETH', url: urlOf(server) },
  }))
  writeFileSync(file, JSON.stringify({ providers: of }))
  await target.stop()
  try {
    await target.start({ CUPEL_CHAIN_DATA_FILE: file, ...settings })
    return await attack()
  } finally {
    await target.stop()
    await target.start()
    rmSync(folder, { recursive: true, force: true })
  }
}

export async function listening(listener: RequestListener): Promise<Server> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

export const urlOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

export function closed(server: Server): void {
  server.close()
  server.closeAllConnections()
}
