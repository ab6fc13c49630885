import { expect, test } from 'vitest'
import { mailParts, readMailMessage, testMailBody, type MailStyle } from './mail-text.js'
import { changeWebhookBody, digestWebhookBody, jobWebhookBody, transferWebhookBody } from './webhook-body.js'
import type { ChangedReport, ScreenedTransfer, WatchDigest } from './webhook-facts.js'

const ADDRESS = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
const change: ChangedReport = {
  ...{ watchId: 'wat_1', address: ADDRESS, chain: 'ETH', reference: 'customer 4711' },
  previous: { reportId: 'r0', level: 'green', score: 2.5 },
  current: { reportId: 'r1', level: 'grey', score: 0 },
  ...{ why: '', reasons: [{ code: 'x', text: 'Import the list.' }], causes: ['labels'], changedAt: '' },
  ...{ split: null, splitMissing: 'busy' },
}
const style: MailStyle = {
  ...{ reportPageUrl: 'https://console.example/reports/', consoleUrl: 'https://console.example' },
  isAddressInSubject: false,
}
const links = { confirmUrl: 'https://api.example/c', unsubscribeUrl: 'https://api.example/u' }
const partsOf = (body: string) => mailParts(readMailMessage(body), links)
const digest: WatchDigest = {
  ...{ day: '2026-11-25', from: '', until: '', watched: 40, changed: 0, unchanged: 30, undecided: 4 },
  ...{ unknown: 6, failing: 2, changes: [] },
  failures: [{ watchId: 'w', address: '0xabc', chain: 'BSC', failures: 5 }],
}

test('a subject has an address by its ends, or in full if the operator says so', () => {
  expect(partsOf(changeWebhookBody(change, 'email', style)).subject).toBe(
    'Cupel: ETH 0x098B…3E2f96: not cleared, before green',
  )
  const full = { ...style, isAddressInSubject: true }
  expect(partsOf(changeWebhookBody(change, 'email', full)).subject).toContain(ADDRESS)
})

test('a change names its address, both findings, remedies and the report, and not the reference', () => {
  const { text } = partsOf(changeWebhookBody(change, 'email', style))
  expect(text).toContain(ADDRESS)
  expect(text).toContain('Before: green 2.5. Now: not cleared.')
  expect(text).toContain('Import the list.')
  expect(text).toContain('not split among causes: busy')
  expect(text).toContain('https://console.example/reports/r1')
  expect(text).toContain('https://api.example/u')
  expect(text).not.toContain('4711')
})

test.each(['email', 'slack'] as const)(
  'a digest as %s never counts what is not known as unchanged',
  (payload) => {
    const body = digestWebhookBody(digest, payload, style)
    const text = payload === 'email' ? partsOf(body).text : (JSON.parse(body) as { text: string }).text
    expect(text).toContain('40 addresses are watched: 0 changed, 30 did not. 4 have no report yet.')
    expect(text).toContain('Of 6 the present state is not known')
    expect(text).toContain('2 keep failing.')
  },
)

const screened: ScreenedTransfer = {
  ...{ transferId: '9f2c4a1be07d6358', livemode: true, endedAt: '', error: null },
  transfer: {
    ...{ recommendation: 'review', level: 'grey', score: 0, chain: 'ETH', direction: 'outgoing' },
    ...{ counterparty: ADDRESS, amount: '2.5', asset: 'USDT', reasons: ['Too little is known.'] },
    json: '{"reference":"customer 4711"}',
  },
}

test.each(['email', 'slack'] as const)(
  'a transfer as %s says what is recommended and why, and not the reference',
  (payload) => {
    const body = transferWebhookBody(screened, payload, style)
    const text = payload === 'email' ? partsOf(body).text : (JSON.parse(body) as { text: string }).text
    for (const told of [
      '2.5 USDT to',
      ADDRESS,
      'review',
      'not cleared',
      'Too little is known.',
      '9f2c4a1be07d6358',
    ])
      expect(text).toContain(told)
    expect(body).not.toContain('4711')
  },
)

test.each(['email', 'slack'] as const)(
  'a transfer that was not screened has no recommendation as %s',
  (payload) => {
    const error = { code: 'transfer_not_found', detail: 'Nobody has it.' }
    const body = transferWebhookBody({ ...screened, transfer: null, error }, payload, style)
    for (const told of ['was not screened', 'transfer_not_found', 'Nobody has it.'])
      expect(body).toContain(told)
    expect(body).not.toMatch(/allow|review|reject/)
  },
)

test('a subject of a digest says how many are not known', () => {
  const { subject, text } = partsOf(digestWebhookBody(digest, 'email', style))
  expect(subject).toBe('Cupel: Watches on 2026-11-25: 0 of 40 changed, 10 not known')
  expect(text).toContain('0xabc (BSC): 5 screenings in a row without a whole report')
})

test('no text becomes markup, a line of a header, or a turn of the writing', () => {
  const evil = { ...change, chain: 'ETH\r\nBcc: a@b\u202e', why: '<img src=x onerror=alert(1)>\u2028"' }
  const { subject, text, html } = partsOf(changeWebhookBody(evil, 'email', style))
  expect(subject).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}]/u)
  expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}]/u)
  expect(html).not.toContain('<img')
  expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;')
})

test('a question for confirmation has its link and none that ends messages; a later test has no question', () => {
  const question = mailParts(readMailMessage(testMailBody(false)), { ...links, unsubscribeUrl: null })
  expect(question.text).toContain('https://api.example/c')
  expect(question.text).not.toContain('https://api.example/u')
  expect(partsOf(testMailBody(true)).text).not.toContain('https://api.example/c')
})

test('a job is told by its counts, without its name', () => {
  const job = {
    ...{ jobId: 'job_1', name: 'Customers', livemode: false, status: 'completed_with_errors' },
    ...{ total: 4, completed: 3, failed: 1, cancelled: 0, endedAt: '' },
  }
  const item = (level: string) => ({
    ...{ number: 1, address: 'a', status: 'completed', reportId: 'r', error: null },
    report: JSON.stringify({ risk: { level } }),
  })
  const { subject, text } = partsOf(
    jobWebhookBody('bulk.completed', 'email', job, [item('grey'), item('red')], 'https://x', style),
  )
  expect(text).toContain('3 of 4 addresses have a report')
  expect(text).toContain('Levels: not cleared 1, red 1, level not read 1.')
  expect(subject).toBe('Cupel (sandbox): Bulk job job_1: completed with errors')
  expect(text).not.toContain('Customers')
})

test('without a style no message by e-mail is made', () => {
  expect(() => changeWebhookBody(change, 'email')).toThrow('no style')
})
