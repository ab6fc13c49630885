import { expect, test } from 'vitest'
import { createRedact } from './redact.js'

const nothingKnown = createRedact([])
const KEY_IN_BASE64 = 'q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA='
const bytes = Buffer.from(KEY_IN_BASE64, 'base64')

test.each([
  ['as it is', 'hunter-2/"+ü-swordfish'],
  ['in JSON', JSON.stringify({ password: 'hunter-2/"+ü-swordfish' })],
  ['in a URL', `postgres:${encodeURIComponent('hunter-2/"+ü-swordfish')}`],
  ['in base64', Buffer.from('hunter-2/"+ü-swordfish').toString('base64')],
  ['in base64 for URLs', Buffer.from('hunter-2/"+ü-swordfish').toString('base64url')],
  ['in hex', Buffer.from('hunter-2/"+ü-swordfish').toString('hex')],
  ['in upper-case hex', Buffer.from('hunter-2/"+ü-swordfish').toString('hex').toUpperCase()],
])('a known secret is taken out: %s', (_, spelling) => {
  const left = createRedact(['hunter-2/"+ü-swordfish'])(`before ${spelling} after`)
  expect(left).toContain('[secret removed]')
  expect(left).toMatch(/^before .* after$/)
  expect(left).not.toContain(spelling)
})

test('a key in base64 is found by its bytes too', () => {
  const redact = createRedact([KEY_IN_BASE64])
  for (const spelling of [KEY_IN_BASE64, bytes.toString('base64url'), bytes.toString('hex')])
    expect(redact(`<${spelling}>`)).toMatch(/^<\[secret removed\]=?>$/)
})

test('a secret that contains another one goes whole', () => {
  expect(createRedact(['swordfish', 'swordfish-of-north'])('swordfish-of-north')).toBe('[secret removed]')
})

test('a short word takes no other words out', () => {
  expect(createRedact(['cupel', ''])('cupel says cupel')).toBe('cupel says cupel')
})

test.each([
  'cpl_live_0123456789abcdef',
  `cupel_session_${'aZ09'.repeat(11)}`,
  `cupel_share_${'aZ0-_'.repeat(9)}`,
  'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIyNDgyODk3NjEwMDEifQ.c2lnbmF0dXJl',
  'eyJhbGciOiJkaXIifQ..aXY.Y2lwaGVy.dGFn',
  'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  'Bearer abc.def-ghi',
  'Basic dXNlcjpwYXNz',
])('credentials are taken out, also unknown ones: %s', (credential) => {
  expect(nothingKnown(`"authorization": "${credential}"`)).toBe('"authorization": "[secret removed]"')
})

test('a password in a URL is taken out, and the host stays', () => {
  expect(nothingKnown('postgres://me:pa55@db.example:5432/x')).toBe(
    'postgres://[secret removed]@db.example:5432/x',
  )
})

test.each([
  ['Ethereum', '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'],
  ['Bitcoin', '12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h'],
  ['SegWit', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'],
  ['Tron', 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8'],
  ['Solana', '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T'],
  ['Ripple', 'rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY'],
  ['Bitcoin Cash', 'bitcoincash:qpm2qsznhks23z7629mms6s5cwef74vcwvy22gdx6a'],
  ['TON', 'EQDtFpEwcFAEcRe5mLVh2N6C0x-_hJEM7W61_JLnSF74p4q2'],
])('an address that was screened is taken out: %s', (_, address) => {
  expect(nothingKnown(`{"address":"${address}","status":503}`)).toBe(
    '{"address":"[address removed]","status":503}',
  )
})

test('what helps stays: ids, hashes, versions, times and metrics', () => {
  const text = [
    '{"level":50,"time":"2026-11-23T17:13:04.123Z","msg":"The report log cannot be followed","reportId":"0f9a3c4d5e6b7a81"}',
    'acc_0123456789abcdef0123456789abcdef key_0123456789abcdef',
    'sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'cupel_projection_lag_seconds_bucket{service="projector",group="report-view",le="0.25"} 12',
    'screening.report.events.v1 partition 17 offset 123456',
  ].join('\n')
  expect(nothingKnown(text)).toBe(text)
})
