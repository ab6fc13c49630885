// Measures PDFs of reports in the thread that makes them: npm run bench:pdf -- [--renders N]
// Prints a table and writes JSON to bench-results/. No figure fails the run. The floor is a fixed piece of work for comparing machines.
import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { end, report } from './bench-report.mjs'
import { orExplain, setUp } from './setup.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const USAGE = `npm run bench:pdf -- [options]
  --renders N   measured renders of each report (default: 20)`
const WARM_RENDERS = 40
const FLOOR_BYTES = 16 * 1024 * 1024

const { values } = parseArgs({
  options: { renders: { type: 'string', default: '20' }, help: { type: 'boolean', default: false } },
})
if (values.help) end(0, USAGE)
const renders = Number(values.renders)
if (!(renders >= 1 && renders <= 10_000)) end(2, `--renders takes a number from 1 to 10000.\n${USAGE}`)

await orExplain(() => setUp())
const { createPdfRenderer } = await import('../packages/report-pdf/dist/index.js')
const { sampleReports } = await import('../packages/testkit/dist/index.js')

const renderer = createPdfRenderer({ workers: 1 })
const rows = [
  await measured('floor', async () => createHash('sha256').update(Buffer.alloc(FLOOR_BYTES)).digest()),
]
for (const [name, sample] of Object.entries(sampleReports())) {
  const text = JSON.stringify(sample)
  let round = 0
  rows.push(await measured(name, () => renderer.render(differing(text, (round += 1)))))
}
await renderer.close()
report(root, 'pdf', table(rows), { renders, rows })

/** The report of another address: every id, address, hash and amount differs, as in successive reports of a thread. */
function differing(text, round) {
  const digest = createHash('sha256').update(String(round)).digest('hex')
  return text
    .replaceAll(/[0-9a-f]{40,}/gi, (code) => digest.repeat(2).slice(0, code.length))
    .replaceAll(/\b\d+(?=\.\d* ETH)/g, (digits) => String(Number(digits) + round))
    .replaceAll(/(?<="value_usd":"\d*)\d\./g, `${round % 10}.`)
}

/** CPU of all threads and wall time of one call in milliseconds; resident memory of the process after all calls in MiB. */
async function measured(name, work) {
  for (let round = 0; round < WARM_RENDERS; round += 1) await work()
  const [cpu, started] = [process.cpuUsage(), performance.now()]
  let bytes = 0
  for (let round = 0; round < renders; round += 1) bytes = (await work()).length
  const { user, system } = process.cpuUsage(cpu)
  return {
    name,
    cpuMs: (user + system) / 1000 / renders,
    wallMs: (performance.now() - started) / renders,
    bytes,
    residentMib: process.memoryUsage().rss / 2 ** 20,
  }
}

function table(measurements) {
  const head = ['report', 'CPU ms', 'wall ms', 'bytes', 'MiB']
  const lines = measurements.map(({ name, cpuMs, wallMs, bytes, residentMib }) => [
    name,
    cpuMs.toFixed(1),
    wallMs.toFixed(1),
    String(bytes),
    residentMib.toFixed(0),
  ])
  return [head, ...lines]
    .map((cells) =>
      cells.map((cell, column) => (column === 0 ? cell.padEnd(10) : cell.padStart(10))).join(''),
    )
    .join('\n')
}
