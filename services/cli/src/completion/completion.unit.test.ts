import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { createContext } from '@cupel/command-line'
import { createProgram } from '../program.js'
import { completionScript } from './completion.js'

const program = await createProgram(createContext({}, []), [])

describe('in bash', () => {
  const script = completionScript(program, 'bash')
  const completed = (...words: string[]): string[] => {
    const line = `${script}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _cupel; printf '%s\\n' "\${COMPREPLY[@]}"`
    return execFileSync('bash', ['-c', line], { encoding: 'utf8' }).split('\n').filter(Boolean)
  }

  test.each([
    ['a command', ['cupel', 'bu'], ['bulk']],
    ['a command of a group', ['cupel', 'bulk', 'su'], ['submit']],
    ['an option', ['cupel', 'bulk', 'submit', 'file.csv', '--ref'], ['--reference-column']],
    ['a command after an option', ['cupel', '--verbose', 'bulk', 'su'], ['submit']],
    ['nothing that is not there', ['cupel', 'bulk', 'zzz'], []],
  ])('%s', (_, words, expected) => {
    expect(completed(...words)).toEqual(expected)
  })

  test('every command has its options', () => {
    for (const command of program.commands)
      expect(completed('cupel', command.name(), '')).toEqual(
        expect.arrayContaining([...command.commands.map((one) => one.name()), '--help']),
      )
  })
})

test.each(['zsh', 'fish'] as const)('the script for %s names every command', (shell) => {
  const script = completionScript(program, shell)
  for (const command of program.commands) expect(script).toContain(`'${command.name()}'`)
})
