/** `cupel transfers`: screened transfers of an account, through the running API. */
import { Option, type Command } from 'commander'
import { answer, type JsonOption, type CliContext, callService } from '@cupel/command-line'
import { transferListText, transferText, type ShownTransfer, type TransferPage } from './transfer-text.js'

interface ListOptions extends JsonOption {
  readonly recommendation?: string
  readonly pageToken?: string
}

interface ScreenOptions extends JsonOption {
  readonly chain: string
  readonly direction: string
  readonly from?: string
  readonly to?: string
  readonly asset?: string
  readonly contract?: string
  readonly amount?: string
  readonly hash?: string
  readonly reference?: string
}

export function registerTransfers(program: Command, context: CliContext): void {
  const transfers = program
    .command('transfers')
    .summary('list screened transfers, screen one')
    .description(
      'Lists the screened transfers, newest first, with what was recommended. Calls the running service with CUPEL_API_KEY.',
    )
    .addOption(
      new Option('--recommendation <word>', 'only transfers with it').choices(['allow', 'review', 'reject']),
    )
    .option('--page-token <token>', 'the next page, as the page before names it')
    .option('--json', 'answer as the API does')
    .action(async ({ recommendation, pageToken, ...options }: ListOptions) => {
      const query = new URLSearchParams({
        ...(recommendation === undefined ? {} : { recommendation }),
        ...(pageToken === undefined ? {} : { page_token: pageToken }),
      })
      const path = `/v1/transfers${query.size === 0 ? '' : `?${query}`}`
      const page = JSON.parse(await callService(context, { method: 'GET', path })) as TransferPage
      answer(context, options, page, () => transferListText(page))
    })
  transfers
    .command('screen')
    .summary('screen one transfer')
    .description(
      `Screens the other side of a transfer, planned or made, and prints what the policy recommends, with its reasons. With --hash the other
side, asset and amount may be absent: they are then those that the ledger has, or else a provider.`,
    )
    .requiredOption('--chain <code>', 'chain of the transfer')
    .addOption(
      new Option('--direction <word>', 'incoming: --to is your own address. outgoing: --from is')
        .choices(['incoming', 'outgoing'])
        .makeOptionMandatory(),
    )
    .option('--from <address>', 'the sender')
    .option('--to <address>', 'the receiver')
    .option('--asset <symbol>', 'symbol of the asset, or contract of the token')
    .option('--contract <address>', 'contract of the token whose symbol --asset is')
    .option('--amount <number>', 'in whole ones, such as 12.5')
    .option('--hash <hash>', 'hash of the transaction; without it the transfer is planned')
    .option('--reference <text>', 'your own reference')
    .option('--json', 'answer as the API does')
    .action(async ({ hash, json, ...stated }: ScreenOptions) => {
      const body = { ...stated, transaction_hash: hash }
      const made = JSON.parse(
        await callService(context, { method: 'POST', path: '/v1/transfers', body }),
      ) as ShownTransfer
      answer(context, { ...(json === undefined ? {} : { json }) }, made, () =>
        transferText(made, context.paint),
      )
    })
}
