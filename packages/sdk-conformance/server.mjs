// The scripted server of the conformance cases. It prints one line of JSON, `{"url", "refused_url"}`, and ends when its standard
// input does.
//
//   POST   /_scripts        {"server": [answer, …]} → {"id", "base_url", "takes_ms": [n, …]}
//   GET    /_scripts/ID     {"requests": […], "answers": […]}: what came, and the JSON of what was answered
//   DELETE /_scripts/ID
//
// Requests below a script’s base_url get its answers in turn. README.md says what an answer can be. The two have a port each: what a
// case leaves on a connection never reaches the one who runs it.
import { createServer } from 'node:http'
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

const fixtures = JSON.parse(readFileSync(new URL('cases/fixtures.json', import.meta.url), 'utf8'))
const scripts = new Map()
let scriptCount = 0

/** Milliseconds until an answer that was sent twice has reached its reader a second time. */
const DUPLICATE_MS = 50

const scripted = await listening(take)
const controlled = await listening(control)
process.stdout.write(`${JSON.stringify({ url: controlled, refused_url: await refusedUrl() })}\n`)
process.stdin.resume().on('end', () => process.exit(0))

/** The URL of a new server that calls `handle` with each request and its whole body. */
async function listening(handle) {
  const server = createServer((request, response) => {
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('error', () => undefined)
    response.on('error', () => undefined)
    request.on('end', () => handle(request, response, Buffer.concat(chunks).toString()))
  })
  server.keepAliveTimeout = 60_000
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${server.address().port}`
}

function take(request, response, body) {
  const { pathname, searchParams } = new URL(request.url, 'http://scripted.invalid')
  const [, first, id] = pathname.split('/')
  const script = scripts.get(id)
  if (first !== 's' || script === undefined)
    return sendJson(response, 404, { detail: 'There is no such script.' })
  script.requests.push({
    method: request.method,
    path: pathname.slice(`/s/${id}`.length),
    query: Object.fromEntries(searchParams),
    headers: request.headers,
    body: parsedOrText(body),
  })
  const answer = script.answers[script.turn++]
  // An SDK that asks too often fails its case by the number of requests.
  if (answer === undefined) return sendJson(response, 418, { detail: 'The script has ended.' })
  give(answer, request, response)
}

function control(request, response, body) {
  const [, first, id] = request.url.split('/')
  if (first !== '_scripts') return sendJson(response, 404, { detail: 'There is no such call.' })
  if (request.method === 'POST') {
    const made = String(++scriptCount)
    const answers = JSON.parse(body).server.flatMap(({ times = 1, ...answer }) =>
      Array.from({ length: times }, () => ({ ...answer, json: expanded(answer.json) })),
    )
    scripts.set(made, { answers, requests: [], turn: 0 })
    const takesMs = answers.map(({ takes_ms: ms = 0 }) => ms)
    return sendJson(response, 201, { id: made, base_url: `${scripted}/s/${made}`, takes_ms: takesMs })
  }
  const script = scripts.get(id)
  if (script === undefined) return sendJson(response, 404, {})
  if (request.method === 'DELETE') scripts.delete(id)
  const given = script.answers.slice(0, script.turn)
  const answers = given.map(({ json = null }) => json)
  const delay = given.at(-1)?.duplicate === true ? DUPLICATE_MS : 0
  setTimeout(() => sendJson(response, 200, { requests: script.requests, answers }), delay)
}

/** `{"use": "report", "with": {…}}` stands for a fixture with some fields replaced, at any depth. */
function expanded(value) {
  if (Array.isArray(value)) return value.map(expanded)
  if (typeof value !== 'object' || value === null) return value
  if (typeof value.use === 'string') {
    if (fixtures[value.use] === undefined) throw new Error(`There is no fixture ${value.use}`)
    return { ...fixtures[value.use], ...expanded(value.with ?? {}) }
  }
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, expanded(inner)]))
}

function give(answer, request, response) {
  const socket = request.socket
  if (answer.fault === 'hang') return
  if (answer.fault === 'reset') return socket.resetAndDestroy()
  if (answer.fault === 'close') return socket.destroy()
  const body = bodyOf(answer)
  const head = headOf(answer, body)
  if (answer.cut_after_body_bytes !== undefined) {
    socket.write(Buffer.concat([rawHead(head), body.subarray(0, answer.cut_after_body_bytes)]))
    return setTimeout(() => socket.resetAndDestroy(), 50)
  }
  if (answer.cut_after_head_bytes !== undefined) {
    socket.write(rawHead(head).subarray(0, answer.cut_after_head_bytes))
    return setTimeout(() => socket.resetAndDestroy(), 50)
  }
  response.writeHead(head.status, head.headers)
  if (answer.ms_per_byte !== undefined) return trickle(response, body, answer.ms_per_byte)
  if (answer.duplicate === true)
    response.once('finish', () => socket.write(Buffer.concat([rawHead(head), body])))
  response.end(body)
}

function bodyOf({ json, text, base64, filler_bytes: filler, gzip }) {
  if (filler !== undefined) return Buffer.alloc(filler, 'x')
  if (base64 !== undefined) return Buffer.from(base64, 'base64')
  const body = Buffer.from(text ?? (json === undefined ? '' : JSON.stringify(json)))
  return gzip === true ? gzipSync(body) : body
}

/** A connection serves one call, unless the case is about what happens on one that is kept: some runtimes repeat calls there by themselves. */
function headOf({ status, headers = {}, json, gzip, keep_alive: kept, duplicate }, body) {
  const type =
    json === undefined
      ? {}
      : { 'content-type': status >= 400 ? 'application/problem+json' : 'application/json' }
  const encoding = gzip === true ? { 'content-encoding': 'gzip' } : {}
  const length = status === 204 || status === 304 ? {} : { 'content-length': String(body.length) }
  const connection = kept === true || duplicate === true ? {} : { connection: 'close' }
  const all = { ...connection, 'request-id': 'req_conformance', ...type, ...encoding, ...length, ...headers }
  return { status, headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null)) }
}

const rawHead = ({ status, headers }) =>
  Buffer.from(
    `HTTP/1.1 ${status} Scripted\r\n${Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')}\r\n`,
  )

function trickle(response, body, msPerByte) {
  let at = 0
  response.flushHeaders()
  const timer = setInterval(() => {
    if (response.destroyed) return clearInterval(timer)
    response.write(body.subarray(at, ++at))
    if (at < body.length) return
    clearInterval(timer)
    response.end()
  }, msPerByte)
}

function sendJson(response, status, value) {
  const body = JSON.stringify(value)
  response.writeHead(status, {
    connection: 'close',
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}

function parsedOrText(body) {
  if (body === '') return null
  try {
    return JSON.parse(body)
  } catch {
    // Sent as something else: the case sees the text.
    return body
  }
}

/** A URL at which nobody listens: its port was free a moment ago. */
function refusedUrl() {
  return new Promise((resolve) => {
    const held = createServer()
    held.listen(0, '127.0.0.1', () => {
      const { port } = held.address()
      held.close(() => resolve(`http://127.0.0.1:${port}`))
    })
  })
}
