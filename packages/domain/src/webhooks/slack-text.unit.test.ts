import { expect, test } from 'vitest'
import { changeWebhookBody, digestWebhookBody, jobWebhookBody, testWebhookBody } from './webhook-body.js'
import type { ChangedReport } from './webhook-facts.js'

const change: ChangedReport = {
  ...{ watchId: 'wat_1', address: '0xabc', chain: 'ETH', reference: 'customer 4711' },
  previous: { reportId: 'r0', level: 'green', score: 2.5 },
  current: { reportId: 'r1', level: 'red', score: 83.5 },
  ...{ why: 'owned by Lazarus', reasons: [], causes: ['labels'], changedAt: '2026-11-22T09:00:00.012Z' },
  split: { labels: 84, funds: -3, policy: 0, scorer: 0, time: 0, notExamined: 0 },
  splitMissing: null,
}
const textOf = (body: string): string => {
  const message = JSON.parse(body) as Record<string, string>
  expect(Object.keys(message)).toEqual(['text'])
  return message['text']!
}

test('a change says both levels, the split in points and why, and not the reference', () => {
  expect(textOf(changeWebhookBody(change, 'slack'))).toBe(
    [
      '*ETH* `0xabc`: green 2.5 → *red 83.5*',
      '+81 points: labels +84, funds -3',
      'owned by Lazarus',
      'Report r1',
    ].join('\n'),
  )
})

test('a change without a split says that it has none, and a grey report its remedies', () => {
  const grey = { ...change.current, level: 'grey', score: 0 }
  const reasons = [{ code: 'stale_labels', text: 'Import the list.' }]
  const text = textOf(
    changeWebhookBody({ ...change, current: grey, reasons, split: null, splitMissing: 'busy' }, 'slack'),
  )
  expect(text).toContain('green 2.5 → *not cleared*')
  expect(text).toContain('-2.5 points, not split: busy')
  expect(text).toContain('Import the list.')
})

test('no text of a list becomes markup: neither a mention, nor a link, nor the end of the address', () => {
  const text = textOf(
    changeWebhookBody(
      { ...change, address: 'a`b<c', why: '<!channel> <https://evil.example|Cupel> &' },
      'slack',
    ),
  )
  expect(text).not.toMatch(/[<>]/)
  expect(text).toContain('`aʼb&lt;c`')
  expect(text).toContain('&lt;!channel&gt; &lt;https://evil.example|Cupel&gt; &amp;')
})

test('a digest lists the first ten changes and counts the others', () => {
  const one = {
    watchId: 'w',
    address: '0xabc',
    chain: 'ETH',
    previous: change.previous,
    current: change.current,
  }
  const digest = {
    ...{
      day: '2026-11-25',
      from: '',
      until: '',
      watched: 40,
      changed: 25,
      unchanged: 14,
      undecided: 1,
      unknown: 3,
      failing: 2,
    },
    ...{ changes: Array.from({ length: 20 }, () => one), failures: [] },
  }
  const lines = textOf(digestWebhookBody(digest, 'slack')).split('\n')
  expect(lines).toHaveLength(12)
  expect(lines[0]).toContain('40 addresses are watched: 25 changed, 14 did not. 1 have no report yet.')
  expect(lines[0]).toContain('Of 3 the present state is not known')
  expect(lines.at(-1)).toBe('and 15 more')
})

test('a job is told by its counts and levels, without its name', () => {
  const item = (level: string | null) => ({
    ...{ number: 1, address: 'a', status: 'completed', reportId: 'r', error: null },
    report: level === null ? null : JSON.stringify({ risk: { level } }),
  })
  const job = {
    ...{ jobId: 'job_1', name: 'Customers', livemode: false, status: 'completed_with_errors' },
    ...{ total: 4, completed: 3, failed: 1, cancelled: 0, endedAt: '' },
  }
  const items = ['red', 'green', 'red', null].map(item)
  const text = textOf(jobWebhookBody('bulk.completed', 'slack', job, items, 'https://x/results'))
  expect(text).toContain('(sandbox)')
  expect(text).toContain('3 of 4 have a report, 1 failed, 0 cancelled')
  expect(text).toContain('green 1, red 2')
  expect(text).not.toContain('Customers')
  const unread = jobWebhookBody(
    'bulk.completed',
    'slack',
    job,
    [item('grey'), item(null)],
    'https://x/results',
  )
  expect(textOf(unread)).toContain('not cleared 1, level not read 2')
})

test('a test message can be shown in a channel too', () => {
  expect(textOf(testWebhookBody('we_1', '', 'slack'))).toContain('we_1')
})
