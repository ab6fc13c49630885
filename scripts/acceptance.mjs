// `npm run acceptance -- --url URL --key KEY [--receiver URL] [--only WORDS]`: checks from outside what an installation promises to callers of
// its API. It imports nothing of Cupel, and sends some screens and a job of two addresses with the key, whose scope is at least read-write.
import { parseArgs } from 'node:util'

const USAGE =
  'Usage: npm run acceptance -- --url https://cupel.example.com --key cpl_test_… [--receiver https://hooks.example.com/cupel] [--only WORDS]'
const LEVELS = ['green', 'orange', 'red', 'grey']
const GREEN = '0xc0be100000000000000000000000000000000001'
const RED = '0xc0be100000000000000000000000000000000004'
const ENDED = ['completed', 'completed_with_errors', 'cancelled', 'failed']
const LIMIT_MS = 120_000
const POLL_MS = 500
const MAX_PAGES = 20

/** A promise that is not kept. */
class Broken extends Error {}

function expect(isKept, promise, seen) {
  if (!isKept) throw new Broken(`${promise}; it is ${JSON.stringify(seen)?.slice(0, 300)}`)
}

/** Calls of one caller. */
function callerOf(url, key) {
  return async (method, path, { body = undefined, headers = {}, withKey = true } = {}) => {
    const answer = await fetch(new URL(path, url), {
      method,
      headers: {
        ...(withKey ? { authorization: `Bearer ${key}` } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: 'error',
    })
    const bytes = Buffer.from(await answer.arrayBuffer())
    const type = answer.headers.get('content-type') ?? ''
    const json = type.includes('json') && !type.includes('ndjson') ? JSON.parse(bytes.toString()) : null
    return { status: answer.status, type, headers: answer.headers, text: bytes.toString(), json }
  }
}

function expectProblem({ status, type, headers, json }, wanted, code) {
  expect(status === wanted, `The status is ${wanted}`, status)
  expect(type === 'application/problem+json', 'A problem has its media type', type)
  for (const member of ['type', 'title', 'detail'])
    expect(typeof json[member] === 'string', `A problem has a ${member}`, json[member])
  expect(json.status === wanted && json.code === code, `The problem is ${code}`, json)
  expect(json.request_id === headers.get('request-id'), 'A problem names its request', json.request_id)
}

async function screened(call, { address = GREEN, headers = {} } = {}) {
  const answer = await call('POST', '/v1/screen', { body: { address, chain: 'ETH' }, headers })
  expect(answer.status === 200, 'A screen is answered with a report', answer)
  return answer
}

/** What `look` finds, which it is asked for until then; null if it finds nothing for two minutes. */
async function eventually(look) {
  for (const until = Date.now() + LIMIT_MS; Date.now() < until;) {
    const found = await look()
    if (found !== null) return found
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  return null
}

/** Ids of the newest reports in pages of one, up to the given one. */
async function listedUntil(call, last) {
  const seen = []
  for (let token = ''; seen.length < MAX_PAGES && !seen.includes(last);) {
    const { status, json } = await call('GET', `/v1/reports?address=${GREEN}&page_size=1${token}`)
    expect(status === 200 && json.items.length <= 1, 'A page has as many items as asked for', json)
    seen.push(...json.items.map(({ report_id: id }) => id))
    if (json.next_page_token === null) break
    token = `&page_token=${encodeURIComponent(json.next_page_token)}`
  }
  return seen
}

const unique = () => `acceptance-${crypto.randomUUID()}`

/** Each promise with what checks it. A check that returns a text was not made, for that reason. */
const checks = {
  async 'the service lives'({ call }) {
    const answer = await call('GET', '/healthz', { withKey: false })
    expect(answer.status === 200, 'The service says that it lives', answer.status)
  },
  async 'a call without a key is refused'({ call }) {
    const body = { address: GREEN }
    expectProblem(await call('POST', '/v1/screen', { body, withKey: false }), 401, 'invalid_key')
    expectProblem(await call('GET', '/v1/reports', { withKey: false }), 401, 'invalid_key')
  },
  async 'a wrong request is refused, and its fault is named'({ call }) {
    const nonsense = await call('POST', '/v1/screen', { body: { address: 'nonsense' } })
    expectProblem(nonsense, 400, 'invalid_address')
    expect(nonsense.json.errors[0]?.pointer === '/address', 'The fault is named', nonsense.json.errors)
    const unknown = await call('POST', '/v1/screen', { body: { address: GREEN, addres: RED } })
    expectProblem(unknown, 400, 'invalid_request')
    expect(unknown.json.errors.length > 0, 'The fault is named', unknown.json.errors)
    expectProblem(await call('GET', '/v1/reports/0000000000000000'), 404, 'not_found')
  },
  async 'a screen is answered with a report, which stays'({ call, livemode }) {
    const { json, headers, text } = await screened(call)
    expect(/^[0-9a-f]{16}$/.test(json.report_id), 'A report has an id', json.report_id)
    expect(json.address === GREEN && json.chain === 'ETH', 'It is of the address', [json.address, json.chain])
    expect(json.livemode === livemode, 'It is of the environment of the key', json.livemode)
    expect(LEVELS.includes(json.risk.level), 'It has a level', json.risk)
    expect(json.risk.score >= 0 && json.risk.score <= 100, 'It has a score of 0 to 100', json.risk)
    for (const name of ['request-id', 'ratelimit', 'ratelimit-policy'])
      expect(headers.has(name), `The answer has ${name}`, [...headers.keys()])
    const again = await call('GET', `/v1/reports/${json.report_id}`)
    expect(again.text === text, 'The same report is read again, to the byte', again.text)
  },
  async 'the addresses of the sandbox have their levels'({ call, livemode }) {
    if (livemode) return 'the key is live'
    for (const { address, level, score } of [
      { address: GREEN, level: 'green', score: 0 },
      { address: RED, level: 'red', score: 100 },
    ]) {
      const { risk } = (await screened(call, { address })).json
      expect(risk.level === level && risk.score === score, `${address} is ${level}`, risk)
    }
    const late = await call('POST', '/v1/screen', {
      body: { address: '0xc0be1000000000000000000000000000000e5031' },
    })
    expectProblem(late, 503, 'unavailable')
    expect(Number(late.headers.get('retry-after')) > 0, 'It says when to try again', [...late.headers])
  },
  async 'one Idempotency-Key is one report, and of one request'({ call }) {
    const headers = { 'idempotency-key': unique() }
    const first = await screened(call, { headers })
    const second = await screened(call, { headers })
    expect(second.text === first.text, 'A repeat has the same answer', second.text)
    expect(second.headers.get('idempotency-replayed') === 'true', 'A repeat says so', [...second.headers])
    const other = await call('POST', '/v1/screen', { headers, body: { address: RED, chain: 'ETH' } })
    expectProblem(other, 422, 'idempotency_mismatch')
    const further = await screened(call, { headers: { 'idempotency-key': unique() } })
    expect(further.json.report_id !== first.json.report_id, 'Another key is another report', further.json)
  },
  async 'reports are listed in pages'({ call }) {
    const [older, newer] = [await screened(call), await screened(call)].map(({ json }) => json.report_id)
    // Lists follow the reports.
    const seen = await eventually(async () => {
      const listed = await listedUntil(call, older)
      return listed.includes(older) && listed.includes(newer) ? listed : null
    })
    expect(seen !== null, 'Both reports are listed', seen)
    expect(seen.indexOf(newer) < seen.indexOf(older), 'The newest one is first', seen)
    expect(new Set(seen).size === seen.length, 'No page repeats another one', seen)
    const broken = await call('GET', '/v1/reports?page_token=nonsense')
    expectProblem(broken, 400, 'invalid_request')
  },
  async 'a report has its PDF'({ call }) {
    const { json } = await screened(call)
    const pdf = await call('GET', `/v1/reports/${json.report_id}/pdf`)
    expect(pdf.status === 200 && pdf.type === 'application/pdf', 'There is a PDF', [pdf.status, pdf.type])
    expect(pdf.text.startsWith('%PDF-'), 'It is a PDF', pdf.text.slice(0, 20))
  },
  async 'a job ends with a result of each address'({ call }) {
    const body = { addresses: [GREEN, 'nonsense'] }
    const headers = { 'idempotency-key': unique() }
    const made = await call('POST', '/v1/bulk', { body, headers })
    expect(made.status === 202 && made.json.total === 2, 'A job is accepted', made)
    const repeated = await call('POST', '/v1/bulk', { body, headers })
    expect(repeated.json?.job_id === made.json.job_id, 'A repeat is the same job', repeated)
    const path = `/v1/bulk/${made.json.job_id}`
    const job = await eventually(async () => {
      const { json } = await call('GET', path)
      return ENDED.includes(json.status) ? json : null
    })
    expect(job !== null, 'The job ends', job)
    const counts = [job.status, job.completed, job.failed]
    expect(counts.join() === 'completed_with_errors,1,1', 'One address is screened, one refused', counts)
    const { items } = (await call('GET', `${path}/results`)).json
    expect(items.length === 2 && items[0].report.address === GREEN, 'Each address has a result', items)
    expect(items[1].error.code === 'invalid_address', 'The refused one says why', items[1])
    const table = await call('GET', `${path}/results`, { headers: { accept: 'text/csv' } })
    expect(table.type.startsWith('text/csv') && table.text.includes(GREEN), 'Results are CSV too', table)
  },
  async 'a webhook endpoint gets a test message'({ call, receiver }) {
    if (receiver === undefined) return 'no --receiver is given'
    const made = await call('POST', '/v1/webhook-endpoints', { body: { url: receiver } })
    expect(made.status === 201, 'An endpoint is created', made)
    const path = `/v1/webhook-endpoints/${made.json.endpoint_id}`
    try {
      expect(/^whsec_/.test(made.json.secret), 'Its secret is shown', Object.keys(made.json))
      const sent = await call('POST', `${path}/test`)
      expect(sent.status === 202, 'A test message is sent', sent)
      const delivery = await eventually(async () => {
        const { items } = (await call('GET', `${path}/deliveries`)).json
        return items.find(({ status }) => status === 'delivered') ?? null
      })
      expect(delivery !== null, 'The receiver gets it', null)
    } finally {
      const gone = await call('DELETE', path)
      expect(gone.status === 204, 'The endpoint is deleted', gone.status)
    }
  },
}

/** Resolves to one line for each promise: whether it is kept, and else why not, or why it was not checked. */
export async function accept({ url, key, receiver, only = '' }) {
  const call = callerOf(url, key)
  const given = { call, receiver, livemode: !key.startsWith('cpl_test_') }
  const lines = []
  for (const [promise, check] of Object.entries(checks)) {
    if (!promise.includes(only)) continue
    try {
      const reason = await check(given)
      lines.push({ promise, outcome: reason === undefined ? 'kept' : 'not checked', reason: reason ?? '' })
    } catch (error) {
      // A member that is missing is a broken promise as well, and so is an answer that never comes.
      const cause = error.cause instanceof Error ? ` (${error.cause.message})` : ''
      lines.push({ promise, outcome: 'BROKEN', reason: `${error.message}${cause}` })
    }
  }
  return lines
}

if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({
    options: {
      ...{ url: { type: 'string' }, key: { type: 'string' } },
      ...{ receiver: { type: 'string' }, only: { type: 'string' } },
    },
  })
  const url = values.url ?? process.env['CUPEL_BASE_URL']
  const key = values.key ?? process.env['CUPEL_API_KEY']
  if (url === undefined || key === undefined) {
    console.error(USAGE)
    process.exit(2)
  }
  const lines = await accept({ url, key, receiver: values.receiver, only: values.only })
  for (const { promise, outcome, reason } of lines)
    console.log(`${outcome.padEnd(11)} ${promise}${reason === '' ? '' : `: ${reason}`}`)
  const count = (wanted) => lines.filter(({ outcome }) => outcome === wanted).length
  console.log(`${count('kept')} kept, ${count('BROKEN')} broken, ${count('not checked')} not checked.`)
  // What was not checked is not kept.
  process.exit(count('BROKEN') === 0 && count('kept') > 0 ? 0 : 1)
}
