/** Runs commands of a page as its reader would. */
import { expect } from 'vitest'
import type { Said } from './command-line.js'

const page = (await import(new URL('../../../scripts/containers/page.mjs', import.meta.url).href)) as {
  commandsBelow(page: string, section: string): readonly string[]
}

/** Returns the commands of a section of a page, in order. Throws if it has none. */
export const { commandsBelow } = page

/** Runs a command of a page, which must succeed. */
export async function follow(cupel: (...args: string[]) => Promise<Said>, command: string): Promise<Said> {
  const [written] = command.split(/\s+# /)
  const words = /^(?:npm run --silent cupel --|cupel) (.*)$/.exec(written!.trim())![1]!.match(/"[^"]*"|\S+/g)!
  const said = await cupel(...words.map((word) => word.replaceAll('"', '')))
  expect({ command, ...said }).toMatchObject({ command, error: null, exitCode: 0 })
  return said
}
