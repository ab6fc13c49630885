/** Reads deploy/systemd/cupel@.service as systemd does, so that a test starts a service as the unit says. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkout } from './started.js'

export const UNIT = join(checkout, 'deploy', 'systemd', 'cupel@.service')

export interface UnitCommand {
  readonly command: string
  readonly args: readonly string[]
  readonly environment: Readonly<Record<string, string>>
}

/** `places`: folders of this test in place of those that the unit names. */
export function unitCommand(service: string, places: Readonly<Record<string, string>>): UnitCommand {
  const placed = (text: string): string =>
    Object.entries(places).reduce((moved, [named, own]) => moved.replaceAll(named, own), text)
  const valuesOf = (name: string): string[] =>
    [...readFileSync(UNIT, 'utf8').matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) =>
      placed(value!.replaceAll('%i', service)),
    )
  const [command, ...args] = valuesOf('ExecStart')[0]!.split(' ')
  // The settings of a later file replace those of an earlier one, and those of files replace the others.
  const lines = [
    ...valuesOf('Environment').flatMap((line) => line.split(' ')),
    ...valuesOf('EnvironmentFile').flatMap((file) => readFileSync(file, 'utf8').split('\n')),
  ]
  const environment = Object.fromEntries(
    lines
      .filter((line) => /^\w+=/.test(line))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
  return { command: command!, args, environment }
}

/** A file of settings as systemd reads it. */
export const settingsFile = (settings: Readonly<Record<string, string>>): string =>
  `${Object.entries(settings)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n')}\n`
