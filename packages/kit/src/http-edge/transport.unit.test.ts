import type { IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import { createTransport, UNKNOWN_CLIENT, type TransportOptions } from './transport.js'

/** What a proxy says of a call that came to it over TLS, and what programs on this machine send. */
const CLAIMS = {
  ...{ 'x-forwarded-proto': 'https', 'x-forwarded-host': 'localhost', 'x-real-ip': '127.0.0.1' },
  ...{ forwarded: 'for=127.0.0.1;proto=https', host: 'localhost', 'x-forwarded-ssl': 'on' },
}

function judge(
  remoteAddress: string,
  forwardedFor?: string,
  options: Partial<TransportOptions> = {},
  claims: Readonly<Record<string, string>> = {},
) {
  const transport = createTransport({
    trustedProxies: ['10.0.0.0/8', 'fd00::/8'],
    isEncrypted: false,
    ...options,
  })
  const headers = forwardedFor === undefined ? claims : { ...claims, 'x-forwarded-for': forwardedFor }
  return transport.judge({ socket: { remoteAddress }, headers } as unknown as IncomingMessage)
}
const from = (clientAddress: string) => ({ ok: true, clientAddress })

describe('in the clear', () => {
  test.each(['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1', '10.1.2.3', '::ffff:10.1.2.3', 'fd00::1'])(
    'a call from %s is taken',
    (address) => expect(judge(address).ok).toBe(true),
  )

  test.each(['203.0.113.7', '::ffff:203.0.113.7', '192.168.0.1', '2001:db8::1', ''])(
    'a call from %j is refused, whatever it claims',
    (address) => {
      expect(judge(address)).toEqual({ ok: false })
      expect(judge(address, '127.0.0.1')).toEqual({ ok: false })
      expect(judge(address, '10.1.2.3', {}, CLAIMS)).toEqual({ ok: false })
    },
  )

  test('over TLS of our own anyone may call', () => {
    expect(judge('203.0.113.7', undefined, { isEncrypted: true })).toEqual(from('203.0.113.7'))
  })
})

describe('the client', () => {
  test('is the peer if the peer is not a trusted proxy', () => {
    expect(judge('127.0.0.1', '203.0.113.7')).toEqual(from('127.0.0.1'))
    expect(judge('203.0.113.7', '198.51.100.1', { isEncrypted: true })).toEqual(from('203.0.113.7'))
  })

  test.each([
    ['198.51.100.1', '198.51.100.1'],
    ['198.51.100.1, 10.9.9.9', '198.51.100.1'],
    ['6.6.6.6, 198.51.100.1, 10.9.9.9, fd00::7', '198.51.100.1'],
    ['::ffff:198.51.100.1', '198.51.100.1'],
    ['2001:DB8::1', '2001:db8::1'],
    ['198.51.100.1:4711', '198.51.100.1'],
    ['[2001:db8::1]:4711, 10.9.9.9:1', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    // A client in the network of the proxies.
    ['10.9.9.9, 10.8.8.8', '10.9.9.9'],
    // Nothing before the first untrusted hop is readable, so the client is unknown.
    ['198.51.100.1, unknown, 10.9.9.9', UNKNOWN_CLIENT],
    ['198.51.100.1:port', UNKNOWN_CLIENT],
    ['[198.51.100.1', UNKNOWN_CLIENT],
    ['', UNKNOWN_CLIENT],
    [' , ', UNKNOWN_CLIENT],
    [undefined, UNKNOWN_CLIENT],
  ])('behind a trusted proxy that forwards %j is %s', (forwardedFor, client) => {
    expect(judge('10.0.0.1', forwardedFor)).toEqual(from(client))
  })
})

test('a proxy that is not a range stops the start', () => {
  expect(() => createTransport({ trustedProxies: ['10.0.0.0/33'], isEncrypted: false })).toThrow(
    /not an IP range/,
  )
})
