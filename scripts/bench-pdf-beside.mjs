// Measures what PDFs cost the screens beside them: npm run bench:pdf-beside -- [--rounds N] [--seconds N]
// Prints a table and writes JSON to bench-results/. A round has three turns: two without PDFs and one with five a second. All turns of a
// round have the same arrivals of screens. The two turns without PDFs differ only by noise, so their ratio shows how to read the other one.
// A PDF that is refused with 503 is counted. Any other failed call fails the run; no figure fails it.
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads'
import { end, report } from './bench-report.mjs'
import { withInstallation } from './own-installation.mjs'
import { processorTimes, spentBetween } from './processor-times.mjs'
import { orExplain, root, setUp } from './setup.mjs'

const USAGE = `npm run bench:pdf-beside -- [options]
  --rounds N    rounds of three turns (default: 14)
  --seconds N   length of a turn (default: 5)
  --screens N   screens a second (default: 50)
  --warm-up N   seconds of screens and PDFs before the first turn (default: 30)`
const PDFS_PER_SECOND = 5
const REPORTS = 20
/** Screens in this first part of a turn do not count: the turn before still has its effect. */
const SETTLE_SECONDS = 1
const ADDRESS = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
const noPdfs = { times: [], refused: 0 }

if (isMainThread) await main()
else await readPdfs(workerData)

async function main() {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '14' },
      seconds: { type: 'string', default: '5' },
      screens: { type: 'string', default: '50' },
      'warm-up': { type: 'string', default: '30' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) end(0, USAGE)
  const [rounds, seconds, screensPerSecond] = [values.rounds, values.seconds, values.screens].map(Number)
  const warmUpSeconds = Number(values['warm-up'])
  if (!(rounds >= 2 && seconds > SETTLE_SECONDS && screensPerSecond >= 1 && warmUpSeconds >= 1)) end(2, USAGE)
  await orExplain(() => setUp())
  const { arrivals, compareRounds, percentileOf, turnsOfRound } =
    await import('../packages/bench/dist/index.js')
  await withInstallation(async ({ ready, pid, call, issueKey }) => {
    const key = await issueKey('--plan', 'enterprise')
    const screen = () => call(key, 'POST', '/v1/screen', { address: ADDRESS })
    const ids = []
    for (let index = 0; index < REPORTS; index += 1) ids.push((await screen()).report_id)
    const reader = startReader({ baseUrl: ready.base_url, key, ids })
    await Promise.all([
      paced(arrivals(screensPerSecond, warmUpSeconds, 1), screen),
      reader.read(arrivals(PDFS_PER_SECOND, warmUpSeconds, 2)),
    ])
    const turns = []
    for (let round = 0; round < rounds; round += 1)
      for (const kind of turnsOfRound(round)) {
        const screens = arrivals(screensPerSecond, seconds, 100 + round)
        const before = processorTimes(pid)
        const [times, pdfs] = await Promise.all([
          paced(screens, screen),
          kind === 'beside' ? reader.read(arrivals(PDFS_PER_SECOND, seconds, 1_000 + round)) : noPdfs,
        ])
        const spent = spentBetween(before, processorTimes(pid))
        const settled = times.filter((_, index) => screens[index] >= SETTLE_SECONDS * 1_000)
        turns.push({ round, kind, times: settled, pdfs, spent })
      }
    await reader.end()
    const results = resultsOf(turns, { compareRounds, percentileOf })
    report(root, 'pdf-beside', table(results), {
      ...{ rounds, seconds, screensPerSecond, PDFS_PER_SECOND, results, turns },
    })
  })
}

/**
 * Starts calls at the given milliseconds, however long each takes. Resolves to the duration of each call in milliseconds, from the time
 * when it was due.
 */
async function paced(dueMs, work) {
  const started = performance.now()
  return await Promise.all(
    dueMs.map(async (ms, index) => {
      const due = started + ms
      await sleep(due - performance.now())
      await work(index)
      return performance.now() - due
    }),
  )
}

/** Reads PDFs in a thread, so that their bytes do not delay the measurement of screens. */
function startReader(options) {
  const thread = new Worker(new URL(import.meta.url), { workerData: options })
  return {
    read: (dueMs) =>
      new Promise((resolve, reject) => {
        thread.once('error', reject)
        thread.once('message', (result) => {
          thread.off('error', reject)
          resolve(result)
        })
        thread.postMessage(dueMs)
      }),
    end: () => thread.terminate(),
  }
}

/** Runs in the thread. */
async function readPdfs({ baseUrl, key, ids }) {
  parentPort.on('message', async (dueMs) => {
    let refused = 0
    const times = await paced(dueMs, async (index) => {
      const url = `${baseUrl}/v1/reports/${ids[index % ids.length]}/pdf`
      const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
      await answer.arrayBuffer()
      if (answer.status === 503) refused += 1
      else if (!answer.ok) throw new Error(`A PDF was answered ${answer.status}`)
    })
    parentPort.postMessage({ times, refused })
  })
}

function resultsOf(turns, { compareRounds, percentileOf }) {
  const roundsOf = (kind) => turns.filter((turn) => turn.kind === kind).map(({ times }) => times)
  const rounds = { one: roundsOf('one'), other: roundsOf('other'), beside: roundsOf('beside') }
  const pdfTurns = turns.filter(({ kind }) => kind === 'beside')
  const pdfs = pdfTurns.flatMap((turn) => turn.pdfs.times)
  const percentiles = (times) => ({
    count: times.length,
    p50: percentileOf(times, 0.5),
    p95: percentileOf(times, 0.95),
    p99: percentileOf(times, 0.99),
  })
  return {
    without: percentiles([...rounds.one, ...rounds.other].flat()),
    beside: percentiles(rounds.beside.flat()),
    pdfs: percentiles(pdfs),
    refused: pdfTurns.reduce((sum, turn) => sum + turn.pdfs.refused, 0),
    p50: compareRounds(rounds, 0.5),
    p95: compareRounds(rounds, 0.95),
    cpuMsPerPdf: perPdf(turns, pdfs.length),
  }
}

/** Additional processor time of the turns with PDFs over those without, by part, for each PDF. */
function perPdf(turns, pdfs) {
  const sum = (part, kinds) =>
    turns
      .filter(({ kind }) => kinds.includes(kind))
      .reduce((total, { spent }) => total + (spent[part] ?? 0), 0)
  const parts = [...new Set(turns.flatMap(({ spent }) => Object.keys(spent)))]
  return Object.fromEntries(
    parts.map((part) => [part, (sum(part, ['beside']) - sum(part, ['one', 'other']) / 2) / pdfs]),
  )
}

function table({ without, beside, pdfs, refused, p50, p95, cpuMsPerPdf }) {
  const row = (name, { count, p50, p95, p99 }) =>
    name.padEnd(28) +
    String(count).padStart(7) +
    [p50, p95, p99].map((ms) => ms.toFixed(1).padStart(9)).join('')
  const ratio = ({ value, low, high }) => `${value.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`
  return [
    'ms'.padEnd(28) + ['calls', '    p50', '    p95', '    p99'].map((head) => head.padStart(8)).join(' '),
    row('screens without PDFs', without),
    row('screens beside PDFs', beside),
    row('PDFs', pdfs),
    `PDFs refused: ${refused}`,
    '',
    `ratio of p50, beside ÷ without: ${ratio(p50.effect)}; noise ${ratio(p50.noise)}`,
    `ratio of p95, beside ÷ without: ${ratio(p95.effect)}; noise ${ratio(p95.noise)}`,
    `CPU ms for each PDF: ${Object.entries(cpuMsPerPdf)
      .map(([part, ms]) => `${part} ${ms.toFixed(1)}`)
      .join(', ')}`,
  ].join('\n')
}
