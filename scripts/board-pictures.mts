// `npm run board-pictures`: makes docs/pictures/boards/*.png from the boards' own queries, as a real Prometheus answers them for an
// installation of its own under load. It needs Java 17, Debian's prometheus and Chromium, and three minutes.
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { callEverything } from '../packages/system-tests/src/board-load.js'
import { drawBoard } from '../packages/system-tests/src/board-picture.js'
import { queryOver, readBoards, type Board } from '../packages/system-tests/src/boards.js'
import { createClient, type Client } from '../packages/system-tests/src/client.js'
import { enterpriseKey } from '../packages/system-tests/src/command.js'
import {
  checkout,
  createHome,
  removeHome,
  startInstallation,
  type Installation,
} from '../packages/system-tests/src/installation.js'
import { createEndpoint, startWebhookReceiver } from '../packages/system-tests/src/webhook-receiver.js'
import {
  startEvmNode,
  startPrometheus,
  type Prometheus,
  type TimeRange,
} from '../packages/testkit/src/index.js'

const CHROMIUM = process.env['CUPEL_TEST_CHROMIUM'] ?? '/usr/bin/chromium'
const PICTURES = join(checkout, 'docs', 'pictures', 'boards')
const LOAD_MS = 150_000
/** Pauses between rounds of calls. They alternate each half minute: the second makes calls twice as fast. */
const PAUSES_MS = [800, 400]
const WAVE_MS = 30_000
const RATE_INTERVAL = '15s'
const STEP_SECONDS = 2
/** Each channel has 15 steps: background and lines keep their colours. */
const COLOUR_STEP = 17

const home = createHome()
const node = await startEvmNode()
const receiver = await startWebhookReceiver()
const providers = join(home, 'providers.json')
writeFileSync(
  providers,
  JSON.stringify({ providers: [{ name: 'node', kind: 'evm-rpc', chain: 'ETH', url: node.url }] }),
)
const environment = { CUPEL_CHAIN_DATA_FILE: providers, CUPEL_WEBHOOK_ALLOW: '127.0.0.0/8' }
const installation = await startInstallation({ home, kafka: true, processes: true, environment })
try {
  await drawAll(installation)
} finally {
  await installation.stop()
  await receiver.close()
  await node.close()
  removeHome(home)
}

async function drawAll(running: Installation): Promise<void> {
  const client = createClient(running.ready.base_urls, await enterpriseKey(home))
  await createEndpoint(client, receiver, '/boards', 'thin')
  const prometheus = await startPrometheus(running.ready.metrics_urls)
  try {
    const range = await underLoad(client, running)
    for (const board of readBoards()) {
      const svg = await answeredBoard(prometheus, board, range)
      await savePicture(svg, board.name)
      console.log(`docs/pictures/boards/${board.name}.png`)
    }
  } finally {
    await prometheus.close()
    await client.close()
  }
}

async function underLoad(client: Client, { ready }: Installation): Promise<TimeRange> {
  const startedMs = Date.now()
  while (Date.now() < startedMs + LOAD_MS) {
    await callEverything(client, ready)
    await sleep(PAUSES_MS[Math.floor((Date.now() - startedMs) / WAVE_MS) % PAUSES_MS.length])
  }
  return { fromSeconds: startedMs / 1_000, toSeconds: Date.now() / 1_000, stepSeconds: STEP_SECONDS }
}

async function answeredBoard(prometheus: Prometheus, board: Board, range: TimeRange): Promise<string> {
  const panels = await Promise.all(
    board.panels.map(async (panel) => ({
      panel,
      targets: await Promise.all(
        panel.targets.map(async ({ expr, legendFormat }) => ({
          legendFormat,
          series: await prometheus.queryRange(queryOver(expr, RATE_INTERVAL), range),
        })),
      ),
    })),
  )
  return drawBoard(board, panels, range)
}

async function savePicture(svg: string, name: string): Promise<void> {
  const { chromium } = createRequire(join(checkout, 'services/web/package.json'))(
    'playwright-core',
  ) as typeof import('playwright-core')
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-lcd-text'],
  })
  try {
    const page = await browser.newPage()
    await page.setContent(`<style>body{margin:0}svg{display:block}</style>${svg}`)
    mkdirSync(PICTURES, { recursive: true })
    const picture = await page.locator('svg').screenshot()
    writeFileSync(join(PICTURES, `${name}.png`), withFewColours(picture))
  } finally {
    await browser.close()
  }
}

/** Fewer colours and no transparency take fewer bytes. */
function withFewColours(picture: Buffer): Buffer {
  const { PNG } = createRequire(join(checkout, 'packages/testkit/package.json'))(
    'pngjs',
  ) as typeof import('pngjs')
  const image = PNG.sync.read(picture)
  image.data.forEach((value, index) => (image.data[index] = Math.round(value / COLOUR_STEP) * COLOUR_STEP))
  return PNG.sync.write(image, { colorType: 2, deflateLevel: 9, deflateStrategy: 0 })
}
