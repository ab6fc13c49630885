/** The rules of docker-compose.yml that need no engine: who trusts whom, who sees which secret, who reaches the world. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { root } from '../setup.mjs'

const { services, networks } = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true })
const OWN = ['api', 'web', 'scorer', 'projector', 'bulk-coordinator', 'webhook-dispatcher', 'label-refresher']
const mountsOf = (name) =>
  services[name].volumes.filter((each) => each.includes(':/secrets/')).map((each) => each.split(':'))
const networksOf = ({ networks: named }) => (Array.isArray(named) ? named : Object.keys(named ?? {}))

/** Every file that make-secrets.mjs makes, as folder/name. */
const made = [
  ...readFileSync(join(root, 'deploy/images/make-secrets.mjs'), 'utf8').matchAll(
    /\bkeep[s]?\(\s*'([^']+)'|\bkeys\(\s*'([^']+)'/g,
  ),
].map(([, kept, keys]) => kept ?? keys)

test('a proxy that may say for whom it calls is one address, which no other container can get', () => {
  const trusted = OWN.flatMap(
    (name) => services[name].environment.CUPEL_TRUSTED_PROXIES?.split(/,(?=\$)/) ?? [],
  )
  expect(trusted).toHaveLength(3)
  for (const one of trusted) expect(one).toMatch(/\.\d+\/32$/)
  const [{ ip_range: range, gateway }] = networks.edge.ipam.config
  expect(range).toMatch(/\.128\/25$/)
  expect(gateway).toMatch(/\.1$/)
  expect(services.web.networks.edge.ipv4_address).toMatch(/\.2$/)
})

test('a service sees no secret that none of its settings names', () => {
  expect(made.length).toBeGreaterThan(10)
  for (const name of OWN) {
    const named = Object.values(services[name].environment).map(String)
    const seen = mountsOf(name).flatMap(([, folder]) =>
      made.filter((file) => `/secrets/${file}`.startsWith(`${folder}/`)).map((file) => `/secrets/${file}`),
    )
    expect(seen.length, name).toBeGreaterThan(0)
    for (const file of seen) expect(named, `${name} sees ${file}`).toContain(file)
    for (const [, , mode] of mountsOf(name)) expect(mode, name).toBe('ro')
  }
})

test('the image has a folder of its user for each volume of secrets: a volume takes the rights of the folder', () => {
  const foundation = readFileSync(join(root, 'deploy/images/foundation.sh'), 'utf8')
  const readers = /for reader in ([a-z -]+);/.exec(foundation)?.[1] ?? ''
  const mounted = mountsOf('secrets').map(([, folder]) => folder.replace('/secrets/', ''))
  expect(readers.split(' ').sort()).toEqual(mounted.sort())
})

test('every secret that is made is read by somebody, and none is in a variable', () => {
  const text =
    readFileSync(join(root, 'docker-compose.yml'), 'utf8') +
    readFileSync(join(root, 'deploy/images/make-secrets.mjs'), 'utf8')
  for (const file of made) expect(text.split(file.split('/')[1]).length, file).toBeGreaterThan(1)
  for (const [name, { environment = {} }] of Object.entries(services))
    for (const [setting, value] of Object.entries(environment))
      if (/(?:PASSWORD|SECRET|TOKEN|KEY)$/.test(setting)) expect(value, `${name} ${setting}`).toBeUndefined()
})

test('only services that call others reach another machine, and the data is on a network that nobody outside reaches', () => {
  expect(networks.data.internal).toBe(true)
  const on = (network) =>
    Object.keys(services)
      .filter((name) => networksOf(services[name]).includes(network))
      .sort()
  expect(on('outside')).toEqual(['label-refresher', 'scorer', 'webhook-dispatcher'])
  expect(on('edge')).toEqual(['api', 'grafana', 'prometheus', 'web'])
  expect(networksOf(services.web)).toEqual(['edge'])
  for (const [name, { ports = [] }] of Object.entries(services))
    for (const port of ports) expect(port, name).toMatch(/^127\.0\.0\.1:/)
})
