/** Limits of waiting work and of unfinished bodies of a customer. */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { endedJob } from '../bulk-client.js'
import { createClient } from '../client.js'
import { until } from '../until.js'
import type { Attack } from './attack.js'
import { MAX_WAITING_ITEMS, type Target } from './target.js'

const JOBS = 4
const ITEMS = 1_000
const JOB_TIMEOUT_MS = 120_000
const BODIES = 100
const BODY_BYTES = 1_048_576
/** The budget of unread bodies of one client, and the memory that a Node process may gain in the meantime. */
const BUDGET_MIB = 16
const NOISE_MIB = 48
const REFUSED_MS = 60_000

export const backlogs: readonly Attack[] = [
  {
    name: `${JOBS} jobs of ${ITEMS} addresses at once`,
    threat: 'cost',
    async run({ baseUrl, attacker }) {
      const client = createClient([baseUrl], attacker.key)
      try {
        const answers = await Promise.all(
          Array.from({ length: JOBS }, () => {
            const addresses = Array.from({ length: ITEMS }, () => `0x${randomBytes(20).toString('hex')}`)
            return client.send('POST', '/v1/bulk', JSON.stringify({ addresses }))
          }),
        )
        const accepted = answers.filter(({ status }) => status === 202)
        const refused = answers.filter(({ status, text }) => status === 429 && text.includes('too_many_jobs'))
        for (const { text } of accepted) {
          const { job_id: jobId } = JSON.parse(text) as { job_id: string }
          await client.send('POST', `/v1/bulk/${jobId}/cancel`)
          await endedJob(client, jobId, JOB_TIMEOUT_MS)
        }
        // A machine that is too busy rejects the job with 503, and has not accepted it.
        const busy = answers.filter(({ status }) => status === 503)
        return {
          limit: `${MAX_WAITING_ITEMS} waiting addresses, beyond: 429`,
          measured: `${accepted.length} of ${JOBS} accepted, ${refused.length} were 429`,
          held:
            refused.length > 0 &&
            accepted.length * ITEMS <= MAX_WAITING_ITEMS &&
            accepted.length + refused.length + busy.length === JOBS,
        }
      } finally {
        await client.close()
      }
    },
  },
  {
    name: `${BODIES} bodies with a valid key that never end`,
    threat: 'cost',
    place: 'earlyAnswer',
    async run(target) {
      const pid = apiPid(target)
      const before = residentMib(pid)
      const sockets = Array.from({ length: BODIES }, () => unfinished(target))
      try {
        // Those beyond the budget are answered; the others wait for the rest of their body.
        const room = Math.ceil((BUDGET_MIB * 1_048_576) / (BODY_BYTES - 1))
        await until('refusals beyond the budget', REFUSED_MS, async () => {
          return sockets.filter(({ isAnswered }) => isAnswered()).length >= BODIES - room
        })
        const grown = Math.max(0, residentMib(pid) - before)
        return {
          limit: `${BUDGET_MIB} MiB of bodies, ${BUDGET_MIB + NOISE_MIB} MiB resident`,
          measured: `${grown} MiB resident`,
          held: grown <= BUDGET_MIB + NOISE_MIB,
        }
      } finally {
        for (const { socket } of sockets) socket.destroy()
      }
    },
  },
]

/** A body without its last byte. */
function unfinished({ baseUrl, attacker }: Target): { socket: Socket; isAnswered: () => boolean } {
  const { hostname, port, host } = new URL(baseUrl)
  const socket = connect(Number(port), hostname)
  let isAnswered = false
  socket.on('data', () => (isAnswered = true))
  socket.on('error', () => undefined)
  socket.on('close', () => (isAnswered = true))
  socket.write(
    `POST /v1/screen HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${attacker.key}\r\nContent-Type: application/json\r\nContent-Length: ${BODY_BYTES}\r\n\r\n`,
  )
  socket.write(Buffer.alloc(BODY_BYTES - 1, ' '))
  return { socket, isAnswered: () => isAnswered }
}

/** In the embedded profile all services are one process. */
export function apiPid({ installation }: Target): number {
  const [pid] = installation.pids('api')
  return pid ?? installation.supervisor.pid!
}

/** As Linux counts it; 0 on other systems. */
export function residentMib(pid: number): number {
  try {
    const kib = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return Math.round(Number(kib ?? 0) / 1_024)
  } catch {
    return 0
  }
}

/** Processor time since the process began, in milliseconds, as Linux counts it: a hundredth of a second at a time; 0 on other systems. */
export function processorMs(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name of the program, in parentheses, may have blanks.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[USER_TIME]) + Number(fields[SYSTEM_TIME])) * TICK_MS
  } catch {
    return 0
  }
}

const [USER_TIME, SYSTEM_TIME] = [11, 12]
const TICK_MS = 10
