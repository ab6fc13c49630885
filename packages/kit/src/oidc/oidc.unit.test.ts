/** The settings of a sign-in service, and the data read from the claims of a person. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { actorOf, keysOfGroups, personOf } from './person.js'
import { readClientSecret, readOidcSettings, settingsOf } from './settings.js'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cupel-oidc-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const GOOD = {
  issuer: 'https://id.example.com/realms/desk',
  client_id: 'cupel',
  client_secret_file: 'secret',
  groups: { compliance: '8f2k1m0a' },
}

test('a file with the four required members is enough', () => {
  const settings = settingsOf(GOOD, '/etc/cupel/oidc.json')
  expect(settings).toMatchObject({
    name: 'id.example.com',
    clientSecretFile: '/etc/cupel/secret',
    scopes: ['openid', 'profile'],
    groupClaim: ['groups'],
    nameClaim: ['name'],
  })
  expect([...settings.origins]).toEqual(['https://id.example.com'])
})

test.each<[string, object, RegExp]>([
  ['plain http', { issuer: 'http://id.example.com' }, /`issuer`: must be an https address/],
  [
    'a name that only looks like loopback',
    { issuer: 'http://localhost.example.com' },
    /`issuer`: must be an https/,
  ],
  [
    'a password in the address',
    { issuer: 'https://a:b@id.example.com' },
    /`issuer`: must be an https address/,
  ],
  ['a query in the address', { issuer: 'https://id.example.com?a' }, /`issuer`: must have neither a query/],
  ['no group', { groups: {} }, /`groups`: must map one group or more/],
  ['a group mapped to no key', { groups: { a: 'cpl_live_x' } }, /`groups\.a`: must be the id of an API key/],
  ['scopes without openid', { scopes: ['profile'] }, /`scopes`: must contain openid/],
  [
    'another origin with a path',
    { other_origins: ['https://a.example/x'] },
    /must be an origin without a path/,
  ],
  ['a member that nobody reads', { client_secret: 'x' }, /client_secret/],
])('%s is a sentence and no start', (_, change, sentence) => {
  expect(() => settingsOf({ ...GOOD, ...change }, '/x')).toThrow(sentence)
  expect(() => settingsOf({ ...GOOD, ...change }, '/x')).toThrow('CUPEL_OIDC_FILE')
})

test.each(['http://127.0.0.1:9000', 'http://localhost:9000', 'http://[::1]:9000'])(
  '%s is accepted without TLS, because nothing leaves this host',
  (issuer) => expect(settingsOf({ ...GOOD, issuer }, '/x').issuer).toBe(issuer),
)

test('a file that is missing or no JSON, and a secret that is missing or short, are sentences too', async () => {
  const broken = join(folder, 'broken.json')
  writeFileSync(broken, '{')
  await expect(readOidcSettings(join(folder, 'none.json'))).rejects.toThrow('CUPEL_OIDC_FILE cannot be read')
  await expect(readOidcSettings(broken)).rejects.toThrow('CUPEL_OIDC_FILE is not JSON')
  expect(await readOidcSettings(undefined)).toBeNull()
  const settings = settingsOf(GOOD, join(folder, 'oidc.json'))
  await expect(readClientSecret(settings)).rejects.toThrow('`client_secret_file` cannot be read')
  writeFileSync(join(folder, 'secret'), 'short\n')
  await expect(readClientSecret(settings)).rejects.toThrow('fewer than 16 characters')
  writeFileSync(join(folder, 'secret'), 'long enough to be one\n')
  expect(await readClientSecret(settings)).toBe('long enough to be one')
})

const claims = { groupClaim: ['realm', 'roles'], nameClaim: ['name'] }

test('names are one visible line, and the subject ends what the audit log shows', () => {
  const person = (name: unknown) => actorOf(personOf({ sub: 'u-1', name }, claims)!)
  expect(person('Ann Example')).toBe('Ann Example (u-1)')
  expect(person('Bob\n(u-2)\u202e\u0000 x')).toBe('Bob (u-2) x (u-1)')
  expect(person('x'.repeat(300))).toBe(`${'x'.repeat(128)} (u-1)`)
  for (const nobody of [undefined, 7, {}, '', '\u200b']) expect(person(nobody)).toBe('u-1')
})

test('groups are found in nested members, and only texts are groups', () => {
  const groups = (roles: unknown) => personOf({ sub: 'u', realm: { roles } }, claims)!.groups
  expect(groups(['a', 7, null, ['b'], 'c'])).toEqual(['a', 'c'])
  expect(groups('a')).toEqual(['a'])
  expect(groups({ a: true })).toEqual([])
  expect(personOf({ sub: 'u', realm: 'roles' }, claims)!.groups).toEqual([])
  expect(personOf({ sub: 'u' }, { ...claims, groupClaim: ['constructor', 'name'] })!.groups).toEqual([])
})

test('keys of groups come in the order of the settings, each once', () => {
  const mapping = new Map(Object.entries({ a: 'k1', b: 'k2', c: 'k1' }))
  expect(keysOfGroups(['c', 'b', 'a', 'z'], mapping)).toEqual(['k1', 'k2'])
  expect(keysOfGroups(['A', 'a '], mapping)).toEqual([])
})
