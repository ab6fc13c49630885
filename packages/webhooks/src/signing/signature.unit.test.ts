import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { newWebhookSecret, signWebhook, type SignedMessage } from './signature.js'

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

test('while a secret is rotated, the official library verifies with the old and the new one, and with no other', () => {
  const [old, fresh] = [newWebhookSecret(), newWebhookSecret()]
  const { headers, body } = received(message(), signWebhook(message(), [fresh, old]))
  for (const secret of [old, fresh]) expect(new Webhook(secret).verify(String(body), headers)).toBeDefined()
  expect(() => new Webhook(newWebhookSecret()).verify(String(body), headers)).toThrow()
})

test('a malformed secret and an id that would shift what is signed are refused', () => {
  expect(() => signWebhook(message(), ['whsec_dG9vIHNob3J0'])).toThrow(RangeError)
  expect(() => signWebhook(message(), [newWebhookSecret().slice(6)])).toThrow(RangeError)
  expect(() => signWebhook({ ...message(), id: 'a.b' }, [newWebhookSecret()])).toThrow(RangeError)
})
