/** A local receiver that records the arrival of each webhook, and never answers on some paths. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Arrival {
  readonly path: string
  /** Milliseconds since 1970. */
  readonly atMs: number
  /** When the job of this webhook ended. */
  readonly jobEndedAtMs: number
  readonly jobId: string
}

export interface Sink {
  readonly url: string
  /** In the order of their arrival. */
  arrivals: Arrival[]
  close(): Promise<void>
}

/** Messages about jobs to a path under `/hang` are never answered. Test messages are answered and not recorded. */
export async function startSink(): Promise<Sink> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('error', () => undefined)
    request.on('end', () => {
      const atMs = Date.now()
      const path = request.url ?? ''
      const body = Buffer.concat(chunks).toString()
      // The beginning of the body is enough; parsing megabytes here would slow the measured system.
      const jobEndedAtMs = Date.parse(/"timestamp":"([^"]+)"/.exec(body.slice(0, 200))?.[1] ?? '')
      const jobId = /"job_id":"([^"]+)"/.exec(body.slice(0, 400))?.[1] ?? ''
      if (jobId !== '') sink.arrivals.push({ path, atMs, jobEndedAtMs, jobId })
      if (jobId === '' || !path.startsWith('/hang')) response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 1_024, resolve))
  const sink: Sink = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivals: [],
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return sink
}
