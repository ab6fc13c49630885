import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { newWebhookSecret, signWebhook, verifyWebhook, type SignedMessage } from './signature.js'

const NOW_MS = Date.now()
const message = (body: string | Uint8Array = '{"type":"bulk.completed"}'): SignedMessage => ({
  id: 'msg_2f6a',
  timestampSeconds: Math.floor(NOW_MS / 1000),
  body,
})
const received = (signed: SignedMessage, signature: string) => ({
  headers: {
    'webhook-id': signed.id,
    'webhook-timestamp': String(signed.timestampSeconds),
    'webhook-signature': signature,
  },
  body: signed.body,
})

test('what we sign, the official library verifies, whatever the body', () => {
  fc.assert(
    fc.property(fc.json(), fc.uuid(), (body, id) => {
      const secret = newWebhookSecret()
      const signed = { ...message(body), id }
      const { headers } = received(signed, signWebhook(signed, [secret]))
      expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body))
    }),
    { numRuns: 200 },
  )
})

test('what the official library signs, we verify', () => {
  const secret = newWebhookSecret()
  const body = JSON.stringify({ text: 'grüße, 世界' })
  const signature = new Webhook(secret).sign('msg_1', new Date(NOW_MS), body)
  expect(verifyWebhook(received({ ...message(body), id: 'msg_1' }, signature), secret, NOW_MS)).toEqual({
    ok: true,
  })
})

test('while a secret is rotated, both the old and the new one verify, in the official library too', () => {
  const [old, fresh] = [newWebhookSecret(), newWebhookSecret()]
  const { headers, body } = received(message(), signWebhook(message(), [fresh, old]))
  for (const secret of [old, fresh]) {
    expect(new Webhook(secret).verify(String(body), headers)).toBeDefined()
    expect(verifyWebhook({ headers, body }, secret, NOW_MS)).toEqual({ ok: true })
  }
  expect(() => new Webhook(newWebhookSecret()).verify(String(body), headers)).toThrow()
  expect(verifyWebhook({ headers, body }, newWebhookSecret(), NOW_MS)).toEqual({
    ok: false,
    reason: 'no-match',
  })
})

test('one changed bit of id, time or body breaks the signature', () => {
  const secret = newWebhookSecret()
  const { headers, body } = received(message(), signWebhook(message(), [secret]))
  const bytes = Buffer.from(body)
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const changed = Buffer.from(bytes)
    changed[bit >> 3]! ^= 1 << (bit & 7)
    expect(verifyWebhook({ headers, body: changed }, secret, NOW_MS).ok).toBe(false)
  }
  const moved = { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) }
  expect(verifyWebhook({ headers: moved, body }, secret, NOW_MS)).toEqual({ ok: false, reason: 'no-match' })
  const renamed = { ...headers, 'webhook-id': 'msg_2f6b' }
  expect(verifyWebhook({ headers: renamed, body }, secret, NOW_MS)).toEqual({ ok: false, reason: 'no-match' })
})

test.each([
  [301, 'too-old'],
  [-301, 'too-new'],
] as const)('a message %i seconds away is refused as %s', (ageSeconds, reason) => {
  const secret = newWebhookSecret()
  const signed = { ...message(), timestampSeconds: Math.floor(NOW_MS / 1000) - ageSeconds }
  expect(verifyWebhook(received(signed, signWebhook(signed, [secret])), secret, NOW_MS)).toEqual({
    ok: false,
    reason,
  })
})

test('other schemes than ours are passed over, and match nothing by themselves', () => {
  const secret = newWebhookSecret()
  const own = signWebhook(message(), [secret])
  expect(verifyWebhook(received(message(), `v1a,${own.slice(3)} ${own}`), secret, NOW_MS)).toEqual({
    ok: true,
  })
  expect(verifyWebhook(received(message(), `v1a,${own.slice(3)}`), secret, NOW_MS).ok).toBe(false)
  expect(verifyWebhook(received(message(), 'v1,'), secret, NOW_MS).ok).toBe(false)
})

test('a malformed secret and an id that would shift what is signed are refused', () => {
  expect(() => signWebhook(message(), ['whsec_dG9vIHNob3J0'])).toThrow(RangeError)
  expect(() => signWebhook(message(), [newWebhookSecret().slice(6)])).toThrow(RangeError)
  expect(() => signWebhook({ ...message(), id: 'a.b' }, [newWebhookSecret()])).toThrow(RangeError)
})
