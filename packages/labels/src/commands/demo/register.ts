/** `cupel demo`: made-up labels and transfers of addresses that nobody can own, for a first look. */
import { demoAddresses } from '@cupel/domain'
import { demoImport, importLabels, readDemoState, type DemoState } from '../../index.js'
import type { Command } from 'commander'
import {
  answer,
  table,
  type JsonOption,
  type CliContext,
  CommandError,
  EXIT_FAILED,
} from '@cupel/command-line'
import { isServed, withConnections, operator } from '@cupel/command-line/installation'

const ABOUT = `A few addresses that nobody can own get made-up labels and transfers. A report that rests on them says so and is never green; no
other address is affected. After the removal nothing of it is believed.`

export function registerDemo(program: Command, context: CliContext): void {
  const demo = program
    .command('demo')
    .summary('made-up addresses with a money path, for a first look')
    .description(`Turn the demo on or off. ${ABOUT}`)
  const change = (name: string, isOn: boolean, summary: string): void => {
    demo
      .command(name)
      .summary(summary)
      .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}. ${ABOUT}`)
      .option('--json', 'answer in JSON')
      .action(async (options: JsonOption) => show(context, options, await changed(context, isOn)))
  }
  change('load', true, 'turn the demo on')
  change('remove', false, 'remove the demo')
  demo
    .command('show')
    .summary('whether the demo is on')
    .description('Show if the demo is on, and its addresses.')
    .option('--json', 'answer in JSON')
    .action(async (options: JsonOption) =>
      show(context, options, await withConnections(context, ({ database }) => readDemoState(database))),
    )
}

async function changed(context: CliContext, isOn: boolean): Promise<DemoState> {
  return await withConnections(
    context,
    async (connections) => {
      const labelView = isServed(connections, context) ? 'elsewhere' : 'here'
      const request = { ...demoImport(isOn), importedBy: operator() }
      const result = await importLabels(request, { ...connections, labelView })
      if (result.status === 'refused')
        throw new CommandError(`Nothing changed. ${result.message.replace(/[.]?$/, '.')}`, EXIT_FAILED)
      return await readDemoState(connections.database)
    },
    { creates: isOn },
  )
}

function show(context: CliContext, options: JsonOption, { status, fault }: DemoState): void {
  const isOn = status === 'on'
  answer(context, options, { status, fault, addresses: demoAddresses }, () =>
    [
      ...(fault === null ? [] : [`The last change failed: ${fault}`]),
      isOn ? 'The demo is on. Screen one of its addresses:' : `The demo is ${status}.`,
      ...(isOn ? ['', table(demoAddresses.map(({ address, title }) => [address, title]))] : []),
    ].join('\n'),
  )
}
