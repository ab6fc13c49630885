/** Attacks on the console by visitors without a session, and on documents by a customer. */
import { randomBytes } from 'node:crypto'
import { createClient } from '../client.js'
import type { Attack } from './attack.js'
import { requestOf, sendRaw } from './raw-http.js'
import { opened, whileHeld } from './strangers.js'
import { issueKey, victimClient, type Target } from './target.js'

const FORMS = 120
const FORM_BYTES = 2 * 1_048_576
const PAGES = ['/screen', '/bulk/new', '/policy', '/webhooks']
const NOTES = 200
/** Letters that are shaped. */
const NOTE = 'أبجد هوز '.repeat(222)
/** Keys of the attacker: each renders one document after the other. */
const KEYS = 4
const PDFS = 6
/** A thread renders one document of the attacker before that of the victim. */
const MAX_PDF_MS = 20_000

/** A cookie of the right form and checksum whose session the API does not know. */
async function foreignCookie({ baseUrl, attacker }: Target): Promise<string> {
  const client = createClient([baseUrl], attacker.key)
  const begun = await client.send('POST', '/v1/sessions')
  await client.close()
  const { session_token: token } = JSON.parse(begun.text) as { session_token: string }
  const session = createClient([baseUrl], token)
  await session.send('DELETE', '/v1/sessions/current')
  await session.close()
  const shown = { accountId: 'acc_x', livemode: true, scope: 'read-write', webhookAdmin: true, actor: null }
  const facts = { ...shown, keyId: 'k', expiresAt: '2099-01-01T00:00:00.000Z' }
  return `Cookie: cupel-session=${token}.${Buffer.from(JSON.stringify(facts)).toString('base64url')}`
}

async function statusOf(baseUrl: string, key: string, path: string): Promise<number> {
  const answer = await fetch(baseUrl + path, { headers: { authorization: `Bearer ${key}` } })
  await answer.arrayBuffer()
  return answer.status
}

export const consoleAttacks: readonly Attack[] = [
  {
    name: 'a session cookie that a visitor made',
    threat: 'identity',
    async run(target) {
      const at = await target.consoleUrl()
      const { host } = new URL(at)
      const headers = [await foreignCookie(target)]
      const open = await Promise.all(
        PAGES.map((path) => sendRaw(at, { bytes: requestOf('GET', path, { host, headers }) })),
      )
      const refused = open.filter(({ status }) => status === 303 || status === 429).length
      return {
        limit: 'opens no page',
        measured: `${PAGES.length - refused} of ${PAGES.length} opened`,
        held: refused === PAGES.length,
      }
    },
  },
  {
    name: `${FORMS} forms of a million fields`,
    threat: 'cost',
    async run(target) {
      const at = await target.consoleUrl()
      const { host } = new URL(at)
      const head = requestOf('POST', '/bulk/preview', {
        host,
        headers: [
          ...['Sec-Fetch-Site: same-origin', 'Content-Type: application/x-www-form-urlencoded'],
          ...[await foreignCookie(target), `Content-Length: ${FORM_BYTES}`],
        ],
      })
      const bytes = Buffer.concat([Buffer.from(head), Buffer.from('a&'.repeat(FORM_BYTES / 2))])
      return await whileHeld(
        target,
        Array.from({ length: FORMS }, () => opened({ baseUrl: at }, bytes)),
      )
    },
  },
  {
    name: `${NOTES} long notes as a PDF`,
    threat: 'cost',
    async run(target) {
      const attacker = createClient([target.baseUrl], target.attacker.key)
      const victim = victimClient(target)
      try {
        const address = `0x${randomBytes(20).toString('hex')}`
        const report = (JSON.parse((await attacker.screen(address)).text) as { report_id: string }).report_id
        for (let note = 0; note < NOTES; note += 1)
          await attacker.send('POST', `/v1/reports/${report}/notes`, JSON.stringify({ text: NOTE }))
        const keys = await Promise.all(
          Array.from({ length: KEYS }, () =>
            issueKey(target.installation.home, target.attacker.accountId, ['--scope', 'read-only']),
          ),
        )
        const hostile = keys.map((key) =>
          statusOf(target.baseUrl, key, `/v1/reports/${report}/pdf?appendix=case`),
        )
        const times: number[] = []
        let served = 0
        for (let at = 0; at < PDFS; at += 1) {
          const beganMs = performance.now()
          const { status } = await victim.send('GET', `/v1/reports/${target.victim.ids.report}/pdf`)
          times.push(performance.now() - beganMs)
          if (status === 200) served += 1
        }
        const statuses = await Promise.all(hostile)
        const slowest = Math.max(...times)
        return {
          limit: `${PDFS} of ${PDFS} PDFs of others, each within ${MAX_PDF_MS / 1_000} s`,
          measured: `${served} of ${PDFS}, the slowest ${(slowest / 1_000).toFixed(1)} s; the hostile ones ${statuses.join(', ')}`,
          held: served === PDFS && slowest <= MAX_PDF_MS,
        }
      } finally {
        await attacker.close()
        await victim.close()
      }
    },
  },
]
