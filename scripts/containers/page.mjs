// Reads the commands of a page of docs as a reader finds them. Tests run them word for word.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../setup.mjs'

/**
 * Every command and every statement of the code blocks of a page (`sh`, `sql`), in order, with the heading above it. A command ends
 * with its line, unless a backslash continues it.
 * @param {string} path Relative to the checkout.
 * @returns {{ section: string, command: string }[]}
 */
export function commandsOf(path) {
  const commands = []
  let [section, isBlock, isCode, indent] = ['', false, false, 0]
  /** @type {string | null} */
  let open = null
  for (const indented of readFileSync(join(root, path), 'utf8').split('\n')) {
    // A block may stand within a step of a list.
    const fence = indented.trimStart()
    const line = isCode ? indented.slice(indent) : indented
    if (fence.startsWith('```')) {
      isBlock = !isBlock
      isCode = fence === '```sh' || fence === '```sql'
      indent = indented.length - fence.length
    } else if (!isBlock) section = /^#+ (.*)$/.exec(line)?.[1] ?? section
    else if (isCode) {
      open = open === null ? line : `${open}\n${line}`
      if (line.endsWith('\\')) continue
      commands.push({ section, command: open })
      open = null
    }
  }
  return commands
}

/** The commands of one section. Throws if it has none: the page has then changed without its test. */
export function commandsBelow(path, section) {
  const commands = commandsOf(path).filter((each) => each.section === section)
  if (commands.length === 0) throw new Error(`${path} has no command below "${section}".`)
  return commands.map(({ command }) => command)
}

/** Values that a reader fills in: how the pages show them, and their pattern in the output of an earlier command. */
const FILLED_IN = [
  { shown: 'acc_…', printed: /acc_[0-9a-f]+/ },
  { shown: 'cpl_live_…', printed: /cpl_live_\w+/ },
]

/**
 * Runs commands in order, as a reader does: replaces each `…` with the value that an earlier command printed.
 * @param {readonly string[]} commands
 * @param {(command: string) => Promise<string>} run Resolves to the output of the command.
 * @returns {Promise<{ outputs: string[], filledIn: Map<string, string> }>} Rejects if a command still has something to fill in.
 */
export async function follow(commands, run) {
  const filledIn = new Map()
  const outputs = []
  for (const shown of commands) {
    const command = [...filledIn].reduce((text, [mark, value]) => text.replaceAll(mark, value), shown)
    if (command.includes('…')) throw new Error(`Nothing printed before says what to fill in: ${command}`)
    const output = await run(command)
    outputs.push(output)
    for (const { shown: mark, printed } of FILLED_IN) {
      const found = printed.exec(output)
      if (found !== null && !filledIn.has(mark)) filledIn.set(mark, found[0])
    }
  }
  return { outputs, filledIn }
}
