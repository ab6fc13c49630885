/** Messages by e-mail, through a real mail server: once, to nobody who did not confirm, and never without TLS. */
import { decidedEventId, topicOf, type DomainEvent, type EventData } from '@cupel/contracts'
import {
  changeEndpoint,
  confirmRecipient,
  createMailLinks,
  findMailLink,
  redeliver,
  sendTest,
  unsubscribeRecipient,
} from '@cupel/webhooks'
import { loadInstallationSecrets } from '@cupel/gate/access'
import { until } from '@cupel/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { WebhookDispatcherDeps } from '../src/index.js'
import { startInstallation, type Installation, type TestEndpoint } from './installation.js'
import { headerOf, PASSWORD, startMailServer, textOf, USER, type MailServer } from './mail-server.js'

const TO = 'analyst@example.org'
let installation: Installation
let mail: MailServer
beforeEach(async () => {
  installation = await startInstallation()
  mail = await startMailServer()
})
afterEach(async () => {
  await installation.stop()
  await mail.close()
})

const configOf = (server: MailServer): Partial<WebhookDispatcherDeps['config']> => ({
  ...{ CUPEL_MAIL_HOST: '127.0.0.1', CUPEL_MAIL_PORT: server.port, CUPEL_MAIL_FROM: 'cupel@cupel.example' },
  ...{ CUPEL_MAIL_USER: USER, CUPEL_MAIL_PASSWORD: PASSWORD, CUPEL_MAIL_TLS_CA_FILE: server.caFile },
})
const dispatcher = (config: Partial<WebhookDispatcherDeps['config']> = {}, deps = {}) =>
  installation.dispatcher({ config: { ...configOf(mail), ...config }, ...deps })
const recipient = (to = TO, order = {}): Promise<TestEndpoint> => installation.endpoint(`mailto:${to}`, order)

async function change({ accountId, livemode }: TestEndpoint, number = 1, rest = {}): Promise<void> {
  const changedAt = new Date().toISOString()
  const data: EventData['ReportChanged'] = {
    ...{ watchId: `wat_${number}`, accountId, livemode, chain: 'ETH', canonicalAddress: '0xa' },
    address: '0x098B716B8Aaf21512996dC57EB0615e2383E2f96',
    ...{ reference: 'customer 4711', previousReportId: '00', previousLevel: 'green', previousScore: 0 },
    ...{ reportId: '08', level: 'red', score: 100, causes: ['labels'], changedAt },
    ...{ split: null, splitMissing: 'busy', why: 'owned by X & <Y>', reasons: [], ...rest },
  }
  await append('ReportChanged', data, decidedEventId('ReportChanged', data.watchId, data.reportId))
}

async function append(type: 'ReportChanged' | 'WatchFailed' | 'WatchesDigested', data: object, id: string) {
  const { codec, log } = installation
  const { accountId, livemode } = data as { accountId: string; livemode: boolean }
  const at = new Date().toISOString()
  const envelope = { id, source: 'test', time: at, subject: id, correlationId: id, causationId: id }
  await log.append('test', [
    codec.encode({ type, data, envelope } as unknown as DomainEvent, {
      topic: topicOf(type, livemode),
      key: accountId,
    }),
  ])
}

async function settled(endpoint: TestEndpoint, status: string, count = 1): Promise<void> {
  await until(async () => {
    const deliveries = await installation.deliveries(endpoint)
    expect(deliveries.filter((one) => one.status === status)).toHaveLength(count)
  })
}

test('a change is sent over TLS with sign-in, in text and HTML, with a link to the report, and names no reference', async () => {
  await dispatcher()
  const endpoint = await recipient()
  await change(endpoint)
  await change(endpoint)
  await settled(endpoint, 'delivered')
  expect(mail.taken).toHaveLength(1)
  const [one] = mail.taken
  expect(one).toMatchObject({ from: 'cupel@cupel.example', to: [TO], isSecure: true, user: USER })
  expect(headerOf(one!, 'content-type')).toContain('multipart/alternative')
  const [delivery] = await installation.deliveries(endpoint)
  expect(headerOf(one!, 'message-id')).toBe(`<${delivery!.webhookId}@cupel.example>`)
  expect(headerOf(one!, 'list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
  expect(headerOf(one!, 'list-unsubscribe')).toMatch(/^<https:\/\/cupel\.example\/v1\/email\/u-/)
  const text = textOf(one!)
  expect(text).toContain('https://console.example/reports/08')
  expect(text).toContain('Before: green 0. Now: red 100.')
  expect(text).toContain('owned by X &amp; &lt;Y&gt;')
  expect(text).toContain('owned by X & <Y>')
  expect(text).not.toContain('4711')
  const subject = headerOf(one!, 'subject')!
  expect(subject).not.toContain('0x098B716B8Aaf21512996dC57EB0615e2383E2f96')
  expect(delivery).toMatchObject({ type: 'report.changed', attempts: [{ statusCode: 250, signature: null }] })
})

test('a daily digest is sent once, with what changed, what is not known and what keeps failing', async () => {
  await dispatcher()
  const endpoint = await recipient()
  const { accountId, livemode } = endpoint
  const until = new Date().toISOString()
  const data: EventData['WatchesDigested'] = {
    ...{ accountId, livemode, day: '2026-11-25', from: until, until, watched: 7, changed: 2, unchanged: 3 },
    ...{ undecided: 1, unknown: 1, failing: 1 },
    changes: [
      {
        ...{ watchId: 'wat_1', address: '0xA', chain: 'ETH', previousReportId: '00', previousLevel: 'green' },
        ...{ previousScore: 0, reportId: '08', level: 'red', score: 100 },
      },
    ],
    failures: [{ watchId: 'wat_2', address: '0xB', chain: 'BSC', failures: 5 }],
  }
  const id = decidedEventId('WatchesDigested', accountId, String(livemode), data.day)
  await append('WatchesDigested', data, id)
  await append('WatchesDigested', data, id)
  await settled(endpoint, 'delivered')
  expect(mail.taken).toHaveLength(1)
  const [one] = mail.taken
  expect(one).toMatchObject({ to: [TO], isSecure: true, user: USER })
  expect(headerOf(one!, 'subject')).toBe('Cupel: Watches on 2026-11-25: 2 of 7 changed, 2 not known')
  const text = textOf(one!)
  for (const told of [
    '7 addresses are watched: 2 changed, 3 did not. 1 have no report yet.',
    '0xA (ETH): green 0 before, now red 100',
    'https://console.example/reports/08',
    '1 further addresses changed.',
    '0xB (BSC): 5 screenings in a row',
  ])
    expect(text).toContain(told)
})

test('nobody gets anything but one question before the confirmation, and nothing is kept for them', async () => {
  await dispatcher()
  const endpoint = await recipient(TO, { isProven: false })
  await settled(endpoint, 'delivered')
  const other = await recipient('other@example.org', { accountId: endpoint.accountId })
  await change(endpoint, 1)
  await settled(other, 'delivered')
  expect(mail.taken.filter(({ to }) => to[0] === TO)).toHaveLength(1)
  const [question] = mail.taken
  expect(headerOf(question!, 'subject')).toBe('Cupel: Confirm this address')
  expect(headerOf(question!, 'list-unsubscribe')).toBeNull()
  const token = /\/v1\/email\/(c-[\w-]+)/.exec(textOf(question!))![1]!
  const { webhookSecretsKey } = await loadInstallationSecrets(installation.database)
  const link = (await findMailLink(installation.database, createMailLinks(webhookSecretsKey), token))!
  expect(link.purpose).toBe('confirm')
  const call = null as never
  expect(await confirmRecipient(installation.database, link.endpoint, call)).toBe(true)
  await change(endpoint, 2)
  await settled(endpoint, 'delivered', 2)
  await unsubscribeRecipient(installation.database, link.endpoint, call)
  expect(await confirmRecipient(installation.database, link.endpoint, call)).toBe(false)
  await change(endpoint, 3)
  await settled(other, 'delivered', 3)
  expect(mail.taken.filter(({ to }) => to[0] === TO)).toHaveLength(2)
})

test('a refused recipient is exhausted at once, and no row of the attempt has the address', async () => {
  mail.onRecipient = 550
  await dispatcher()
  const endpoint = await recipient()
  await change(endpoint)
  await settled(endpoint, 'exhausted')
  const [{ attempts } = { attempts: [] }] = await installation.deliveries(endpoint)
  expect(attempts).toMatchObject([{ statusCode: 550, error: null }])
  expect(attempts[0]!.responseExcerpt).toContain('is not here')
  expect(attempts[0]!.responseExcerpt).not.toContain('analyst')
  const events = await installation.database.query<{ event: unknown }>('SELECT event FROM projection.outbox')
  const attempted = events.filter(({ event }) => JSON.stringify(event).includes('WebhookAttempted'))
  expect(JSON.stringify(attempted)).not.toContain('analyst')
})

test.each([
  ['is busy', { onRecipient: 451 }, { statusCode: 451 }],
  ['refuses the message for now', { onMessage: 452 }, { statusCode: 452 }],
  ['hangs', { onMessage: 'hang' }, { error: 'timeout' }],
  ['drops the connection', { onMessage: 'drop' }, { error: 'connection_lost' }],
] as const)('a mail server that %s gets the message again', async (_what, steps, attempt) => {
  Object.assign(mail, steps)
  await dispatcher({}, { attemptTimeoutMs: 1_000 })
  const endpoint = await recipient()
  await change(endpoint)
  await until(async () => {
    const [delivery] = await installation.deliveries(endpoint)
    expect(delivery).toMatchObject({ status: 'pending', attempts: [attempt] })
  })
  Object.assign(mail, { onRecipient: 'take', onMessage: 'take' })
  await installation.dueNow()
  await settled(endpoint, 'delivered')
  expect(mail.taken).toHaveLength(1)
})

test.each([
  ['is not there', {}, { CUPEL_MAIL_PORT: 1 }, 'connect_failed'],
  ['offers no TLS', { hasTls: false }, {}, 'tls_failed'],
  ['has a certificate that nobody vouches for', {}, { CUPEL_MAIL_TLS_CA_FILE: undefined }, 'tls_failed'],
  ['refuses the password', {}, { CUPEL_MAIL_PASSWORD: 'wrong' }, 'sign_in_refused'],
] as const)('nothing is sent to a mail server that %s', async (_what, options, config, error) => {
  const server = await startMailServer(options)
  try {
    await installation.dispatcher({ config: { ...configOf(server), ...config } })
    const endpoint = await recipient()
    await change(endpoint)
    await until(async () => {
      const [delivery] = await installation.deliveries(endpoint)
      expect(delivery).toMatchObject({ status: 'pending', attempts: [{ statusCode: null, error }] })
    })
    expect(server.recipients).toEqual([])
  } finally {
    await server.close()
  }
})

test('without TLS it is sent only if the operator says so', async () => {
  const server = await startMailServer({ hasTls: false })
  try {
    await installation.dispatcher({ config: { ...configOf(server), CUPEL_MAIL_INSECURE: true } })
    const endpoint = await recipient()
    await change(endpoint)
    await settled(endpoint, 'delivered')
    expect(server.taken).toMatchObject([{ isSecure: false }])
  } finally {
    await server.close()
  }
})

test.each(['before:webhooks.attempted:1', 'after:webhooks.attempted:1'])(
  'a dispatcher that dies %s sends a message at most once more, with the same Message-ID',
  async (point) => {
    const endpoint = await recipient()
    await change(endpoint)
    await installation.dispatcherDies(point, configOf(mail))
    expect(mail.taken).toHaveLength(1)
    await dispatcher()
    await settled(endpoint, 'delivered')
    expect(mail.taken).toHaveLength(point.startsWith('before') ? 2 : 1)
    expect(new Set(mail.taken.map((one) => headerOf(one, 'message-id'))).size).toBe(1)
  },
)

test('no text of a list or an address begins a header or another recipient', async () => {
  await dispatcher({ CUPEL_MAIL_ADDRESS_IN_SUBJECT: true })
  const endpoint = await recipient()
  const evil = '0xa\r\nBcc: evil@example.org\r\n\r\n<b>'
  await change(endpoint, 1, {
    address: evil,
    chain: 'ETH\u2028X',
    why: `x\r\n.\r\nRCPT TO:<evil@example.org>\r\n`,
  })
  await settled(endpoint, 'delivered')
  expect(mail.recipients).toEqual([TO])
  expect(mail.taken).toHaveLength(1)
  expect(headerOf(mail.taken[0]!, 'bcc')).toBeNull()
})

test('an endpoint gets the messages that it chose, and a watch that keeps failing is told as not known', async () => {
  await dispatcher()
  const failures = await recipient(TO, { events: ['watch.failed'] })
  const { accountId, livemode } = failures
  const changes = await recipient('other@example.org', { accountId, events: ['report.changed'] })
  const failed: EventData['WatchFailed'] = {
    ...{ watchId: 'wat_1', accountId, livemode, address: '0xA', chain: 'ETH', reference: null },
    ...{ reportId: '09', failures: 3, failedAt: new Date().toISOString() },
  }
  await append('WatchFailed', failed, decidedEventId('WatchFailed', 'wat_1', '09'))
  await change(changes)
  await settled(failures, 'delivered')
  await settled(changes, 'delivered')
  expect(mail.taken.map(({ to }) => to[0]).sort()).toEqual([TO, 'other@example.org'])
  const told = mail.taken.find(({ to }) => to[0] === TO)!
  expect(textOf(told)).toContain('Its present level is not known')
})

test('an account sends no more than its share of an hour, and the rest waits without an attempt', async () => {
  await dispatcher({ CUPEL_MAIL_PER_HOUR: 2 })
  const endpoint = await recipient()
  for (let number = 1; number <= 4; number += 1) await change(endpoint, number)
  await settled(endpoint, 'delivered', 2)
  await settled(endpoint, 'pending', 2)
  const other = await recipient('other@example.org')
  await change(other)
  await settled(other, 'delivered')
  const waiting = (await installation.deliveries(endpoint)).filter(({ status }) => status === 'pending')
  expect(waiting.flatMap(({ attempts }) => attempts)).toEqual([])
})

test('an address that has not agreed is asked a few times only, whoever asks', async () => {
  await dispatcher()
  const asked: TestEndpoint[] = []
  for (let account = 0; account < 5; account += 1) asked.push(await recipient(TO, { isProven: false }))
  await until(() => expect(mail.taken).toHaveLength(3))
  const other = await recipient('other@example.org')
  await change(other)
  await settled(other, 'delivered')
  expect(mail.taken.filter(({ to }) => to[0] === TO)).toHaveLength(3)
})

test('an endpoint that moves to an address that has not agreed sends it nothing but the question', async () => {
  await dispatcher()
  const endpoint = await recipient('own@example.org')
  const { database, store } = installation
  const told = await sendTest(database, endpoint)
  if (!told.ok) throw new Error(told.code)
  await settled(endpoint, 'delivered')
  await changeEndpoint(store, { ...endpoint, by: 'test', url: `mailto:${TO}` })
  const { deliveryId } = told.delivery
  await redeliver(database, { ...endpoint, deliveryId })
  await until(async () => {
    const again = (await installation.deliveries(endpoint)).find((one) => one.deliveryId === deliveryId)
    expect(again).toMatchObject({ status: 'exhausted' })
    expect(again!.attempts.at(-1)).toMatchObject({ statusCode: null, error: 'recipient_unconfirmed' })
  })
  await settled(endpoint, 'delivered')
  const subjects = mail.taken.filter(({ to }) => to[0] === TO).map((one) => headerOf(one, 'subject'))
  expect(subjects).toEqual(['Cupel: Confirm this address'])
})

/** Questions that wait for a day or an hour, and are not being sent. */
async function postponed(count: number): Promise<void> {
  await until(async () => {
    const waiting = await installation.database.query(
      `SELECT 1 FROM webhooks.delivery WHERE type = 'endpoint.test' AND status = 'pending' AND due_at > now() + interval '10 minutes'`,
    )
    expect(waiting).toHaveLength(count)
  })
}

test('a question that waits delays no message after the confirmation', async () => {
  await dispatcher()
  for (let account = 0; account < 3; account += 1) await recipient(TO, { isProven: false })
  await until(() => expect(mail.taken).toHaveLength(3))
  const last = await recipient(TO, { isProven: false })
  await postponed(1)
  const link = { endpointId: last.endpointId, url: `mailto:${TO}` }
  expect(await confirmRecipient(installation.database, link, null as never)).toBe(true)
  await change(last)
  await settled(last, 'delivered')
  expect(mail.taken).toHaveLength(4)
})

test('a person is asked as often in whatever spelling of the address', async () => {
  await dispatcher()
  const [name, host] = TO.split('@')
  for (const spelled of [TO, `${name!.toUpperCase()}@${host}`, `${name}+a.b@${host}`]) {
    await settled(await recipient(spelled, { isProven: false }), 'delivered')
  }
  await recipient(`${name}+c+d@${host}`, { isProven: false })
  await postponed(1)
  expect(mail.taken).toHaveLength(3)
})

test('an account that waits for its hour uses up no question to an address', async () => {
  await dispatcher({ CUPEL_MAIL_PER_HOUR: 1 })
  for (let account = 0; account < 3; account += 1) {
    const own = await recipient(`own-${account}@example.org`)
    await change(own)
    await settled(own, 'delivered')
    await recipient(TO, { accountId: own.accountId, isProven: false })
    await postponed(account + 1)
  }
  const other = await recipient(TO, { isProven: false })
  await settled(other, 'delivered')
  expect(mail.taken.filter(({ to }) => to[0] === TO)).toHaveLength(1)
})
