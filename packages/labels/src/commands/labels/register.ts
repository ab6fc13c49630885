/** `cupel labels`: labels of addresses and their sources. */
import type { Command } from 'commander'
import type { CliContext } from '@cupel/command-line'
import { registerDismiss } from './dismiss.js'
import { registerImport } from './import.js'
import { registerOwn, registerSearch } from './own.js'
import { registerRefresh } from './refresh.js'
import { registerShow } from './show.js'
import { registerSources } from './sources.js'

export function registerLabels(program: Command, context: CliContext): void {
  const labels = program
    .command('labels')
    .summary('import, refresh and show labels of addresses')
    .description('Import lists of labelled addresses and show the labels of an address.')
  registerImport(labels, context)
  registerRefresh(labels, context)
  registerDismiss(labels, context)
  registerSources(labels, context)
  registerShow(labels, context)
  registerSearch(labels, context)
  registerOwn(labels, context)
}
