import { Command } from 'commander'
import { expect, test } from 'vitest'
import { registerImport } from '../src/commands/ledger/import.js'
import { importCommands } from '../src/pages/how-to-import.js'

test('the command on the page of the ledger has every option that the command line requires, and only options that it has', () => {
  const ledger = new Command()
  registerImport(ledger, {} as Parameters<typeof registerImport>[1])
  const { options } = ledger.commands[0]!
  const shown = importCommands([])[0].match(/--[a-z-]+/g)!
  const names = options.map(({ long }) => long)
  expect(shown.filter((option) => !names.includes(option))).toEqual([])
  expect(options.filter(({ mandatory, long }) => mandatory && !shown.includes(long!))).toEqual([])
})
