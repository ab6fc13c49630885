/** Proxies in front of an installation, as operators set them up: they name the original caller, and call from a trusted address. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { request } from 'undici'
import { until } from '../until.js'

/** The address from which the proxies call. Tests call from another one, so that direct calls are not trusted. */
export const PROXY_SOURCE = '127.0.0.2'

export interface Proxy {
  readonly baseUrl: string
  stop(): Promise<void>
}

interface ProxyKind {
  isInstalled(): boolean
  start(upstream: URL): Promise<Proxy>
}

const START_TIMEOUT_MS = 120_000

export const proxies = {
  nginx: proxyKind('nginx', nginxConfiguration, (folder, file) => ['-p', folder, '-c', file]),
  haproxy: proxyKind('haproxy', haproxyConfiguration, (_folder, file) => ['-db', '-f', file]),
  // Debian's Caddy cannot choose the address that it calls from.
  caddy: proxyKind(
    'caddy',
    caddyConfiguration,
    (_folder, file) => ['run', '--adapter', 'caddyfile', '--config', file],
    {
      isRelayed: true,
    },
  ),
} as const satisfies Record<string, ProxyKind>

export type ProxyName = keyof typeof proxies
export const proxyNames = Object.keys(proxies) as ProxyName[]

type Configuration = (order: { folder: string; port: number; upstream: URL }) => string

function proxyKind(
  program: string,
  configuration: Configuration,
  args: (folder: string, file: string) => string[],
  { isRelayed = false } = {},
): ProxyKind {
  return {
    isInstalled: () => proxyIsInstalled(program),
    async start(upstream) {
      const folder = mkdtempSync(join(tmpdir(), `cupel-${program}-`))
      const port = await proxyPort()
      const file = join(folder, 'proxy.conf')
      const relay = isRelayed ? await startRelay(upstream) : null
      writeFileSync(file, configuration({ folder, port, upstream: relay?.url ?? upstream }))
      const environment = { ...proxyEnvironment(), HOME: folder }
      const child = spawn(program, args(folder, file), { stdio: 'ignore', env: environment })
      const baseUrl = `http://127.0.0.1:${port}`
      await until(`${program} answering`, START_TIMEOUT_MS, async () => {
        const { statusCode, body } = await request(`${baseUrl}/healthz`)
        await body.dump()
        return statusCode === 200
      })
      return {
        baseUrl,
        async stop() {
          await ended(child)
          relay?.stop()
          rmSync(folder, { recursive: true, force: true })
        },
      }
    },
  }
}

/** Forwards the bytes of connections, from the address of the proxies. */
async function startRelay(upstream: URL): Promise<{ readonly url: URL; stop(): void }> {
  const server: Server = createServer({ allowHalfOpen: true }, (caller) => {
    const called = connect({
      ...{ host: upstream.hostname, port: Number(upstream.port) },
      ...{ localAddress: PROXY_SOURCE, allowHalfOpen: true },
    })
    caller.pipe(called).pipe(caller)
    // A fault on one side ends the other side too.
    caller.on('error', () => called.destroy()).on('close', () => called.destroy())
    called.on('error', () => caller.destroy()).on('close', () => caller.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: new URL(`http://127.0.0.1:${port}`), stop: () => void server.close() }
}

export function proxyIsInstalled(program: string): boolean {
  return spawnSync(program, ['-v'], { env: proxyEnvironment() }).error === undefined
}

/** Debian installs both in folders that only root searches. */
export function proxyEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` }
}

function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    child.kill('SIGTERM')
  })
}

export function proxyPort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}

function nginxConfiguration({ folder, port, upstream }: Parameters<Configuration>[0]): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return `daemon off;
pid ${folder}/pid;
error_log /dev/null;
worker_processes 1;
${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 512; }
http {
  access_log off;
  ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
  client_max_body_size 4m;
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://${upstream.host};
      proxy_bind ${PROXY_SOURCE};
      proxy_http_version 1.1;
      proxy_request_buffering off;
      proxy_set_header Host $http_host;
      proxy_set_header Connection "";
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    }
  }
}
`
}

function haproxyConfiguration({ port, upstream }: Parameters<Configuration>[0]): string {
  return `defaults
  mode http
  timeout connect 10s
  timeout client 60s
  timeout server 60s
  option forwardfor
frontend callers
  bind 127.0.0.1:${port}
  default_backend cupel
backend cupel
  server one ${upstream.host} source ${PROXY_SOURCE}
`
}

function caddyConfiguration({ port, upstream }: Parameters<Configuration>[0]): string {
  return `{
  admin off
  auto_https off
}
http://:${port} {
  bind 127.0.0.1
  reverse_proxy ${upstream.host}
}
`
}
