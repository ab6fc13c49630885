// Finds which settings the program of a service reads, in its sources and in those of the packages that it imports.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { root } from '../setup.mjs'

const { packages, services } = JSON.parse(readFileSync(join(root, 'boundaries.json'), 'utf8'))
/** It has the table of all settings, so that what it names is read by nobody yet. */
const TABLE = 'kit/service'
/** Its functions that read a setting for their caller. */
const READERS = { readWebSecret: 'CUPEL_WEB_SECRET' }
const SETTING = new RegExp(`\\b(?:CUPEL|OTEL)_\\w+|\\b(?:${Object.keys(READERS).join('|')})(?=\\()`, 'g')

/**
 * Names of settings without the ending of files: CUPEL_KAFKA_PASSWORD for CUPEL_KAFKA_PASSWORD_FILE too.
 * @param {string} service
 * @returns {Set<string>}
 */
export function settingsReadBy(service) {
  const own = programOf(service)
  const members = new Set(
    own.flatMap((text) => [...text.matchAll(/'@cupel\/([^']+)'/g)].map(([, name]) => name)),
  )
  for (const name of members)
    for (const other of (packages[name] ?? services[name]).imports) members.add(other)
  members.delete(TABLE)
  const found = [...own, ...[...members].flatMap(sourcesOf)].flatMap((text) => text.match(SETTING) ?? [])
  return new Set(found.map((name) => secretOf(READERS[name] ?? name)))
}

/** @param {string} setting */
export const secretOf = (setting) => setting.replace(/_FILE$/, '')

/** The sources of a service without those of its roles, or the sources of a role. @param {string} service */
function programOf(service) {
  const folder = service in services ? join(root, 'services', service, 'src') : roleFolder(service)
  const isOfRole = (name) => existsSync(join(folder, name.split(sep)[0], 'main.ts'))
  return sourcesIn(folder, isOfRole)
}

/** The folder of a role that is a program of its own, in the sources of its service. */
function roleFolder(role) {
  const folders = Object.keys(services).map((service) => join(root, 'services', service, 'src', role))
  const found = folders.find((folder) => existsSync(folder))
  if (found === undefined) throw new Error(`no service has the program ${role}`)
  return found
}

/** @param {string} member */
function sourcesOf(member) {
  const [own, room = ''] = member.split('/')
  const [folder = ''] = ['services', 'packages']
    .map((group) => join(root, group, own, 'src', room))
    .filter((path) => existsSync(path))
  const others = room === '' ? Object.keys(packages).filter((name) => name.startsWith(`${own}/`)) : []
  const isOther = (name) => others.some((other) => name.startsWith(`${other.split('/')[1]}/`))
  return sourcesIn(folder, isOther)
}

/** @param {string} folder @param {(name: string) => boolean} isOther Files below the folder that belong to another part. */
function sourcesIn(folder, isOther = () => false) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.includes('.test.') && !isOther(name))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
}
