/** The cost that callers without a key may cause. */
import { connect, type Socket } from 'node:net'
import type { Attack, Outcome } from './attack.js'
import { apiPid, processorMs, residentMib } from './backlogs.js'
import { requestOf, sendRaw } from './raw-http.js'
import { victimClient, type Target } from './target.js'

const BODY_BYTES = 1_048_576
const STRANGERS = 50
/** Unfinished sign-ins: as many as once filled the room for the bodies of customers. */
const UNFINISHED = 48
const SCREENS = 128
const SCREENS_AT_ONCE = 8
const LABELLED = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
/** Strangers who send requests and read no answer, and the requests of each. */
const DEAF = 60
const PIPELINED = 50
/** Growth of the process that serves them, in which a busy moment of its own work has room. */
const MAX_GROWTH_MIB = 64

/** Searches in the reference page, and reads of what a problem means. */
const LOOKS = 600
const LOOKS_AT_ONCE = 8
/** Of a processor, for each. */
const MAX_LOOK_MS = 6
/** As many words as a search takes. */
const WORDS = 'a e i o u s t n r d l c p m h b g f y w k v x z q j 0 1 2 3 4 5 6 7 8 9 _ . / { } : - the of'

export const strangers: readonly Attack[] = [
  {
    name: `${STRANGERS} strangers announce 1 MiB and send none of it`,
    threat: 'cost',
    async run({ baseUrl }) {
      const { host } = new URL(baseUrl)
      const headers = [
        `Content-Length: ${BODY_BYTES}`,
        'Content-Type: application/json',
        'Idempotency-Key: a',
      ]
      const bytes = requestOf('POST', '/v1/screen', { host, headers })
      const answers = await Promise.all(Array.from({ length: STRANGERS }, () => sendRaw(baseUrl, { bytes })))
      const refused = answers.filter(({ status }) => status === 401).length
      return {
        limit: '401 before any byte of a body',
        measured: `${refused} of ${STRANGERS} were 401 after 0 bytes`,
        held: refused === STRANGERS,
      }
    },
  },
  {
    name: `${UNFINISHED} strangers hold a sign-in of 1 MiB that does not end`,
    threat: 'cost',
    async run(target) {
      const { host } = new URL(target.baseUrl)
      const head = requestOf('POST', '/v1/sessions/oidc', {
        host,
        headers: [`Content-Length: ${BODY_BYTES}`, 'Content-Type: application/json'],
      })
      const bytes = Buffer.concat([Buffer.from(head), Buffer.alloc(BODY_BYTES - 1, ' ')])
      return await whileHeld(
        target,
        Array.from({ length: UNFINISHED }, () => opened(target, bytes)),
      )
    },
  },
  {
    name: `${LOOKS} searches in the reference page, and reads of what problems mean, by strangers`,
    threat: 'cost',
    async run(target) {
      const before = processorMs(apiPid(target))
      let [made, answered] = [0, 0]
      const look = async (): Promise<void> => {
        while (made < LOOKS) {
          made += 1
          const path = made % 2 === 0 ? '/problems/rate_limited' : `/docs?q=${encodeURIComponent(WORDS)}`
          const answer = await fetch(target.baseUrl + path)
          await answer.arrayBuffer()
          if (answer.status === 200) answered += 1
        }
      }
      await Promise.all(Array.from({ length: LOOKS_AT_ONCE }, look))
      const eachMs = (processorMs(apiPid(target)) - before) / LOOKS
      return {
        limit: `at most ${MAX_LOOK_MS} ms of a processor for each`,
        measured: `${eachMs.toFixed(1)} ms; ${answered} of ${LOOKS} answered`,
        held: answered === LOOKS && eachMs <= MAX_LOOK_MS,
      }
    },
  },
  {
    name: `${DEAF} strangers send ${PIPELINED} requests each and read no answer`,
    threat: 'cost',
    async run(target) {
      const { host } = new URL(target.baseUrl)
      const one = `GET /docs HTTP/1.1\r\nHost: ${host}\r\n\r\n`
      const beforeMib = residentMib(apiPid(target))
      const held = Array.from({ length: DEAF }, () => opened(target, Buffer.from(one.repeat(PIPELINED))))
      const outcome = await whileHeld(target, held, () => residentMib(apiPid(target)))
      const grewMib = outcome.afterMib! - beforeMib
      return {
        limit: `${outcome.limit}; at most ${MAX_GROWTH_MIB} MiB more`,
        measured: `${outcome.measured}; ${beforeMib} MiB before, ${outcome.afterMib} after`,
        held: outcome.held && grewMib <= MAX_GROWTH_MIB,
      }
    },
  },
]

/** A connection that sends the bytes and reads nothing. */
export function opened({ baseUrl }: Pick<Target, 'baseUrl'>, bytes: Buffer): Socket {
  const { hostname, port } = new URL(baseUrl)
  const socket = connect(Number(port), hostname).pause()
  socket.on('error', () => undefined)
  socket.write(bytes)
  return socket
}

/** Screens of a customer while the connections are open. `measure`: taken at the end, before they are closed. */
export async function whileHeld(
  target: Target,
  held: readonly Socket[],
  measure?: () => number,
): Promise<Outcome & { readonly afterMib?: number }> {
  const client = victimClient(target)
  const times: number[] = []
  let served = 0
  const screenNext = async (): Promise<void> => {
    while (times.length < SCREENS) {
      const beganMs = performance.now()
      const at = times.push(0) - 1
      const { status } = await client.screen(LABELLED)
      times[at] = performance.now() - beganMs
      if (status === 200) served += 1
    }
  }
  try {
    await Promise.all(Array.from({ length: SCREENS_AT_ONCE }, screenNext))
    const p50 = times.sort((one, other) => one - other)[SCREENS / 2]!
    return {
      limit: `${SCREENS} of ${SCREENS} screens of a customer`,
      measured: `${served} of ${SCREENS}, p50 ${p50.toFixed(0)} ms`,
      held: served === SCREENS,
      ...(measure === undefined ? {} : { afterMib: measure() }),
    }
  } finally {
    for (const socket of held) socket.destroy()
    await client.close()
  }
}
