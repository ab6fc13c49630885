/** The page of a job says whether its counters are live, in a browser. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { chromium, type Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CHROMIUM } from './chromium.js'

const PAGE = `<div data-follow="/events"><span data-follow-text>Waiting</span><progress max="5" value="0"></progress>
  <p><span data-follow-hint role="status"></span></p></div>`
const job = { status: 'running', total: 5, completed: 2, failed: 1, cancelled: 0 }

let browser: Browser
let script: string
/** The streams that are open. */
const streams: ServerResponse[] = []
let isDown = false
const server = createServer((request, response) => {
  if (request.url !== '/events') {
    response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE)
  } else if (isDown) {
    request.socket.destroy()
  } else {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('retry: 100\n\n')
    streams.push(response)
  }
})
beforeAll(async () => {
  browser = await chromium.launch({ executablePath: CHROMIUM })
  const source = fileURLToPath(new URL('../../../packages/console/src/client/follow-job.ts', import.meta.url))
  const contents = `import { followJobs } from ${JSON.stringify(source)}\nfollowJobs()`
  const stdin = { contents, resolveDir: '/' }
  const { outputFiles } = await build({ stdin, bundle: true, write: false, format: 'iife' })
  script = outputFiles[0]!.text
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  await browser.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

test('it is live while its stream is open, says so if that breaks, and is live again', async () => {
  const page = await browser.newPage()
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  await page.addScriptTag({ content: script })
  const status = page.getByRole('status')
  await status.getByText(/^Live\./).waitFor()
  streams.at(-1)!.write(`event: progress\ndata: ${JSON.stringify(job)}\n\n`)
  await page.getByText('Running: 3 of 5 done').waitFor()

  isDown = true
  streams.at(-1)!.destroy()
  await status.getByText(/^Not live/).waitFor()
  expect(await page.getByText('Running: 3 of 5 done').count()).toBe(1)

  isDown = false
  await status.getByText(/^Live\./).waitFor()
  await page.close()
})
