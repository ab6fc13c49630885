// Measures what PDFs cost the screens beside them: npm run bench:pdf-beside -- [--pairs N] [--seconds N]
// Prints a table and writes JSON to bench-results/. Turns without and with five PDFs a second follow each other in pairs, so that whatever
// else the machine does meets both. A PDF that is refused with 503 is counted; any other failed call fails the run, and no figure
// does.
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { end, report } from './bench-report.mjs'
import { withInstallation } from './own-installation.mjs'
import { orExplain, root, setUp } from './setup.mjs'

const USAGE = `npm run bench:pdf-beside -- [options]
  --pairs N     turns without and with PDFs, each (default: 6)
  --seconds N   length of a turn (default: 8)
  --screens N   screens a second (default: 20)`
const PDFS_PER_SECOND = 5
const REPORTS = 20
const WARM_UP_SECONDS = 20
const ADDRESS = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'

const { values } = parseArgs({
  options: {
    pairs: { type: 'string', default: '6' },
    seconds: { type: 'string', default: '8' },
    screens: { type: 'string', default: '20' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) end(0, USAGE)
const [pairs, seconds, screensPerSecond] = [values.pairs, values.seconds, values.screens].map(Number)
if (!(pairs >= 1 && seconds >= 1 && screensPerSecond >= 1)) end(2, USAGE)

await orExplain(() => setUp())
await withInstallation(async ({ ready, call, issueKey }) => {
  const key = await issueKey('--plan', 'enterprise')
  const screen = () => call(key, 'POST', '/v1/screen', { address: ADDRESS })
  const ids = []
  for (let index = 0; index < REPORTS; index += 1) ids.push((await screen()).report_id)
  let refused = 0
  const pdf = async (index) => {
    const url = `${ready.base_url}/v1/reports/${ids[index % REPORTS]}/pdf`
    const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
    await answer.arrayBuffer()
    if (answer.status === 503) refused += 1
    else if (!answer.ok) throw new Error(`A PDF was answered ${answer.status}`)
  }
  // The first PDFs load the fonts and are compiled: one after another, because at their pace most would be refused.
  for (let index = 0; index < REPORTS; index += 1) await pdf(index)
  await paced(screensPerSecond, screen, WARM_UP_SECONDS)
  const turns = []
  for (let pair = 0; pair < pairs; pair += 1)
    // Each of them is first in every other pair.
    for (const withPdfs of pair % 2 === 0 ? [false, true] : [true, false]) {
      const [screens, pdfs] = await Promise.all([
        paced(screensPerSecond, screen),
        withPdfs ? paced(PDFS_PER_SECOND, pdf) : [],
      ])
      turns.push({
        pair,
        withPdfs,
        p50Ms: at(screens, 0.5),
        p95Ms: at(screens, 0.95),
        pdfP95Ms: at(pdfs, 0.95),
      })
    }
  report(root, 'pdf-beside', `${table(turns)}\nPDFs refused: ${refused}`, {
    refused,
    pairs,
    seconds,
    screensPerSecond,
    PDFS_PER_SECOND,
    turns,
  })
})

/**
 * Begins calls at drawn times, so many a second on average, however long each takes. Each turn draws the same times.
 * Resolves to the milliseconds of each call, from the moment at which it was due.
 */
async function paced(perSecond, work, forSeconds = seconds) {
  const started = performance.now()
  return await Promise.all(
    arrivals(perSecond, forSeconds).map(async (ms, index) => {
      const due = started + ms
      await sleep(due - performance.now())
      await work(index)
      return performance.now() - due
    }),
  )
}

/** Milliseconds of independent arrivals (Poisson) from a fixed seed: calls that keep time with each other would meet always or never. */
function arrivals(perSecond, forSeconds) {
  const draw = drawFrom(perSecond)
  const times = []
  for (let ms = 0; ms < forSeconds * 1_000; ms += (-Math.log(1 - draw()) * 1_000) / perSecond) times.push(ms)
  return times
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function drawFrom(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function at(times, share) {
  const sorted = [...times].sort((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null
}

function table(turns) {
  const of = (pair, withPdfs) => turns.find((turn) => turn.pair === pair && turn.withPdfs === withPdfs)
  const ratios = Array.from({ length: pairs }, (_, pair) => of(pair, true).p95Ms / of(pair, false).p95Ms)
  const lines = ratios.map((ratio, pair) =>
    [of(pair, false).p95Ms, of(pair, true).p95Ms, of(pair, true).pdfP95Ms]
      .map((ms) => ms.toFixed(1).padStart(12))
      .concat(ratio.toFixed(3).padStart(8))
      .join(''),
  )
  const sorted = [...ratios].sort((one, other) => one - other)
  return [
    'p95 ms of screens',
    '     without        with        PDFs   ratio',
    ...lines,
    `median ratio ${at(ratios, 0.5).toFixed(3)}, from ${sorted[0].toFixed(3)} to ${sorted.at(-1).toFixed(3)}`,
  ].join('\n')
}
