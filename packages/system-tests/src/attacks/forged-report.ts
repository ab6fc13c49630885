/** A green report of a labelled address, written while its screen and an item of a job wait for the scorers. */
import { endedJob, submitJob } from '../bulk-client.js'
import { createClient, type Answer, type Client } from '../client.js'
import { until } from '../until.js'
import type { Attack } from './attack.js'
import {
  appendForged,
  countedAsLeftOut,
  eventsOf,
  FORGING_TIMEOUT_MS,
  type Event,
  type EventRecord,
} from './forging.js'
import type { Target } from './target.js'

export const LABELLED = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
const REPORTS = 'screening.report.events.v1'
const REQUESTS = ['screening.screen.events.v1', 'screening.bulk-screen.events.v1'] as const
/** Number of partitions of the topic of reports; the last two digits of a report id name one of them. */
const PARTITIONS = 16
const FORGER = 'https://forger.example/report'

export const forgedReport: Omit<Attack, 'place'> = {
  name: 'a forged ReportGenerated, before the true one, while a screen and an item wait',
  threat: 'forgery',
  async run(target) {
    const client = createClient([target.baseUrl], target.victim.key)
    try {
      const { waiting, screened, jobId } = await countedAsLeftOut(target, REPORTS, () =>
        forgeWhileScorersStand(target, client),
      )
      const job = await endedJob(client, jobId, FORGING_TIMEOUT_MS)
      const item = job.results?.[0]?.report?.report_id
      const bulk = waiting.find(({ event }) => event['jobId'] === jobId)!
      const isOwn = item === bulk.record.key
      const read = await Promise.all(waiting.map(({ record }) => readOutcome(client, record.key)))
      const answers = [screened, ...read]
      return {
        limit: 'the true report or 503, never the forged one',
        measured: `${waiting.length} forged twice; the screen ${screened.status}, read again ${read.map(({ status }) => status).join(' and ')}, ${answers.filter(isFalse).length} forged`,
        held: isOwn && answers.every((answer) => !isFalse(answer)) && read.some(isRed),
      }
    } finally {
      await client.close()
    }
  },
}

interface Forging {
  /** The requests whose reports were forged. */
  readonly waiting: readonly EventRecord[]
  readonly screened: Answer
  readonly jobId: string
}

/** The scorers are stopped until the forged reports are in the log, so that the true ones come later. */
async function forgeWhileScorersStand(target: Target, client: Client): Promise<Forging> {
  const { ready } = target.installation
  if ((await client.screen(LABELLED)).status !== 200) throw new Error('the victim is not answered')
  const like = (await eventsOf(ready, REPORTS, 'ReportGenerated')).findLast(isOfLabelled)!
  const before = new Set((await requests(target)).map(({ record }) => record.key))
  const scorers = target.installation.pids('scorer')
  if (scorers.length === 0) throw new Error('no scorer runs')
  for (const pid of scorers) process.kill(pid, 'SIGSTOP')
  let answering: Promise<Answer>
  let waiting: readonly EventRecord[]
  let jobId: string
  try {
    jobId = (await submitJob(client, [LABELLED], `forged-${like.record.key}`)).job_id
    answering = client.screen(LABELLED)
    const isRefused = answering.then(({ status }) => status === 503).catch(() => false)
    waiting = await until('the waiting requests', FORGING_TIMEOUT_MS, async () => {
      const found = (await requests(target)).filter(({ record }) => !before.has(record.key))
      const hasItem = found.some(({ event }) => event['jobId'] === jobId)
      const isAsked = found.some(({ event }) => event['jobId'] === null)
      const isWhole = isAsked || (await Promise.race([isRefused, Promise.resolve(false)]))
      return hasItem && isWhole ? found : null
    })
    for (const request of waiting) await appendForged(target, greenReport(like, request))
  } finally {
    for (const pid of scorers) process.kill(pid, 'SIGCONT')
  }
  return { waiting, screened: await answering, jobId }
}

async function requests({ installation, victim }: Target): Promise<EventRecord[]> {
  const found = await Promise.all(
    REQUESTS.map((topic) => eventsOf(installation.ready, topic, 'ScreenRequested')),
  )
  return found.flat().filter((one) => isOfLabelled(one) && one.event['accountId'] === victim.accountId)
}

const isOfLabelled = ({ event }: EventRecord): boolean => event['address'] === LABELLED

/** The report of an earlier screen, changed to the id of the request and to green. */
function greenReport({ record, event }: EventRecord, request: EventRecord) {
  const { reportId, accountId, livemode, jobId, jobIndex } = request.event
  const earlier = JSON.parse(String(event['report'])) as { risk: object }
  const risk = { ...earlier.risk, level: 'green', score: 0, evidence: [] }
  const report = JSON.stringify({ ...earlier, report_id: reportId, report_url: FORGER, risk })
  const { correlationid = '', ce_id: causationid = '' } = request.record.headers
  const forged: Event = {
    ...{ ...event, reportId, accountId, livemode, jobId, jobIndex, report },
    ...{ reportUrl: FORGER, level: 'green', score: 0 },
  }
  const partition = Number.parseInt(String(reportId).slice(-2), 16) % PARTITIONS
  return {
    like: { ...record, partition },
    key: String(reportId),
    event: forged,
    headers: { correlationid, causationid, ce_subject: String(reportId) },
  }
}

/** Resolves once the request is decided, or the scorers have left it out because its caller is gone. */
function readOutcome(client: Client, reportId: string): Promise<Answer> {
  return until(`the outcome of ${reportId}`, FORGING_TIMEOUT_MS, async () => {
    const answer = await client.report(reportId)
    return answer.status === 503 ? null : answer
  })
}

const riskOf = ({ text }: Answer) => (JSON.parse(text) as { risk: { level: string } }).risk
const isRed = (answer: Answer): boolean => answer.status === 200 && riskOf(answer).level === 'red'

/** An answer that the installation did not decide. */
function isFalse(answer: Answer): boolean {
  return answer.text.includes('forger') || (answer.status === 200 && riskOf(answer).level !== 'red')
}
