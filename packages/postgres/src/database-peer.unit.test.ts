import { describe, expect, test } from 'vitest'
import { databasePeer } from './database-peer.js'

/** Any file will do: nothing connects. */
const CA = `&sslrootcert=${encodeURIComponent(import.meta.filename)}`

describe('where a connection string leads, and whether the server is checked', () => {
  test.each([
    ['postgres://u:p@db/x', 'db', false],
    ['postgres://u:p@db/x?sslmode=disable', 'db', false],
    ['postgres://u:p@db/x?sslmode=no-verify', 'db', false],
    ['postgres://u:p@db/x?uselibpqcompat=true&sslmode=require', 'db', false],
    // The certificate is checked, and not whose it is.
    [`postgres://u:p@db/x?uselibpqcompat=true&sslmode=require${CA}`, 'db', false],
    [`postgres://u:p@db/x?uselibpqcompat=true&sslmode=verify-ca${CA}`, 'db', false],
    [`postgres://u:p@db/x?uselibpqcompat=true&sslmode=verify-full${CA}`, 'db', true],
    ['postgres://u:p@db/x?ssl=no-verify', 'db', false],
    ['postgres://u:p@db/x?ssl=true', 'db', true],
    ['postgres://u:p@db/x?sslmode=verify-full', 'db', true],
    ['postgres://u@127.0.0.1/x', '127.0.0.1', false],
    ['postgres://u@127.0.0.1/x?host=db', 'db', false],
    ['postgres://u@[::1]:5432/x', '::1', false],
    ['postgres://u@h1,h2/x', 'h1,h2', false],
    ['postgres:///x?host=/var/run/postgresql', null, false],
    ['socket:/var/run/postgresql?db=x', null, false],
  ])('%s', (connectionString, host, isVerified) => {
    expect(databasePeer(connectionString)).toEqual({ host, isVerified })
  })
})
