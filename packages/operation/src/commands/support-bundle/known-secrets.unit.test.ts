/** The support bundle knows every kind of secret that the product reads or makes. The kinds are found in the code, not listed here. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { isToldSetting, settings } from '@cupel/kit/service'
import { afterAll, expect, test } from 'vitest'
import { knownSecrets } from './known-secrets.js'
import { createRedact } from './redact.js'

const root = new URL('../../../../../', import.meta.url).pathname
const folder = mkdtempSync(join(tmpdir(), 'cupel-known-secrets-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let count = 0
const marker = (): string => `marker/${(count += 1)}+${crypto.randomUUID()}`

/** Every place that a secret may come from, each with its marker. */
function plant(): {
  readonly environment: Record<string, string>
  readonly home: string
  readonly markers: Map<string, string>
} {
  const markers = new Map<string, string>()
  const planted = (kind: string): string => {
    const text = marker()
    markers.set(kind, text)
    return text
  }
  const write = (name: string, content: unknown): string => {
    const file = join(folder, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, typeof content === 'string' ? `${content}\n` : JSON.stringify(content))
    return file
  }
  const environment: Record<string, string> = {}
  environment['OTEL_EXPORTER_OTLP_HEADERS'] =
    `x-key=${encodeURIComponent(planted('a header of the collector'))},x-other=short`
  environment['CUPEL_SERVICE_DATABASE_URLS'] = join(folder, 'urls')
  write(
    'urls/api',
    `postgresql://cupel-api:${encodeURIComponent(planted('the database of a service'))}@db/cupel`,
  )
  environment['CUPEL_OIDC_FILE'] = write('files/oidc.json', { client_secret_file: 'secrets/client' })
  write('files/secrets/client', planted('the client secret at the sign-in service'))
  const fields = { name: planted('a header called name'), app_id: planted('a header called app_id') }
  const query = { apikey: planted('a parameter'), id: planted('a parameter called id') }
  environment['CUPEL_CHAIN_DATA_FILE'] = write('files/chains.json', {
    providers: [{ headers: fields, query }],
  })
  environment['CUPEL_LABEL_REFRESH_FILE'] = write('files/plan.json', {
    lists: [{ url: `https://lists.example/${encodeURIComponent(planted('a token in a path'))}` }],
  })
  for (const name of Object.keys(settings)) {
    if (name in environment) continue
    if (name.endsWith('_FILE')) environment[name] = write(`files/${name}`, planted(`the file of ${name}`))
    else if (/_URLS?$/.test(name)) {
      const [password, token] = [planted(`password in ${name}`), planted(`token in ${name}`)]
      environment[name] =
        `https://user:${encodeURIComponent(password)}@host.example/?token=${encodeURIComponent(token)}`
    } else if (!isToldSetting(name)) environment[name] = planted(name)
  }
  for (const profile of ['embedded', 'kafka'])
    for (const name of ['password', 'service-password'])
      write(`home/${profile}/server/${name}`, planted(`${name} of ${profile}`))
  for (const name of ['record-keys', 'signing-keys', 'personal-data-keys'])
    write(`home/${name}.json`, {
      keys: [{ id: 'one', key: planted(name), privateKey: planted(`${name}, private`) }],
    })
  write('home/embedded/demo-keys.json', { read_write: planted('a demo key') })
  return { environment, home: join(folder, 'home'), markers }
}

test('a secret of every setting, of every file that one names, and of the home is taken out in every spelling', () => {
  const { environment, home, markers } = plant()
  expect(markers.size).toBeGreaterThan(Object.keys(settings).filter((name) => !isToldSetting(name)).length)
  const redact = createRedact(knownSecrets(environment, home))
  for (const [kind, secret] of markers)
    for (const spelling of [
      secret,
      JSON.stringify({ error: secret }),
      encodeURIComponent(secret),
      Buffer.from(secret).toString('base64'),
      Buffer.from(secret).toString('hex'),
    ])
      expect(redact(`a line with ${spelling} in it`), kind).not.toContain(spelling.slice(0, -2))
})

test('a password with a broken encoding takes nothing else down', () => {
  const text = 'postgresql://me:%ff-swordfish@db.example/cupel'
  expect(knownSecrets({ CUPEL_DATABASE_URL: text }, folder)).toContain('%ff-swordfish')
})

/** Sources of the product, as path and text. */
function* sources(): Generator<readonly [string, string]> {
  for (const group of ['packages', 'services'])
    for (const member of readdirSync(join(root, group)))
      for (const name of namesBelow(join(root, group, member, 'src')))
        if (/\.tsx?$/.test(name) && !name.includes('.test.')) yield [name, readFileSync(name, 'utf8')]
}

function namesBelow(path: string): string[] {
  try {
    return readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => join(path, name))
  } catch {
    return []
  }
}

test('a token or secret that the code makes by a prefix, and each cookie, is taken out though nobody knows it', () => {
  const redact = createRedact([])
  const kinds = new Set<string>()
  for (const [name, text] of sources()) {
    if (name.endsWith('session-cookie.ts'))
      for (const [, cookie] of text.matchAll(/^const [A-Z]+ = '([a-z-]+)'$/gm)) kinds.add(`cupel-${cookie}=`)
    if (!/random|sign|token|secret/i.test(name) && !/randomBytes\(|RANDOM_BYTES/.test(text)) continue
    for (const [, prefix] of text.matchAll(/\b\w*PREFIX\s*=\s*'(\w+_)'/g)) kinds.add(prefix!)
    if (text.includes('cpl_$')) kinds.add('cpl_live_').add('cpl_test_')
  }
  expect([...kinds].toSorted()).toEqual(
    expect.arrayContaining(['cpl_live_', 'cupel-visit=', 'cupel_session_', 'cupel_share_', 'whsec_']),
  )
  for (const kind of kinds) {
    const secret = `${kind}${Buffer.from(crypto.randomUUID()).toString('base64url')}`
    expect(redact(`said "${secret}" and ended`), kind).toBe('said "[secret removed]" and ended')
  }
})
