/** `cupel watches`: the watched addresses of an account, through the running API. */
import type { Command } from 'commander'
import { answer, type JsonOption, type CliContext, callService } from '@cupel/command-line'
import { watchesText, type WatchPage } from './watches-text.js'

export function registerWatches(program: Command, context: CliContext): void {
  const watches = program
    .command('watches')
    .summary('list watched addresses, watch further ones, end watches')
    .description(
      `Lists the watched addresses, newest first, with their last levels, and what of the lists lets none of them be green now. Calls the
running service with CUPEL_API_KEY.`,
    )
    .option('--page-token <token>', 'the next page, as the page before names it')
    .option('--json', 'answer as the API does')
    .action(async ({ pageToken, ...options }: JsonOption & { readonly pageToken?: string }) => {
      const query = pageToken === undefined ? '' : `?${new URLSearchParams({ page_token: pageToken })}`
      const path = `/v1/watches${query}`
      const page = JSON.parse(await callService(context, { method: 'GET', path })) as WatchPage
      answer(context, options, page, () => watchesText(page))
    })
  watches
    .command('add <address...>')
    .summary('watch addresses')
    .description(
      'Watches addresses, all of them or none. A watched address takes the settings of this command.',
    )
    .option('--chain <code>', 'chain of all addresses; detected for each address by default')
    .option('--reference <text>', 'your own reference of all of them')
    .option('--digest', 'tell of them in the daily digest too')
    .option('--json', 'answer as the API does')
    .action(async (addresses: string[], { chain, reference, digest, ...options }: AddOptions) => {
      const body = { watches: addresses.map((address) => ({ address, chain, reference, digest })) }
      const made = JSON.parse(
        await callService(context, { method: 'POST', path: '/v1/watches', body }),
      ) as Pick<WatchPage, 'items'>
      answer(context, options, made, () => watchesText({ ...made, next_page_token: null }))
    })
  watches
    .command('remove <watch-id>')
    .summary('end a watch')
    .description('Ends a watch: its address is not decided again.')
    .option('--json', 'answer with one line of JSON')
    .action(async (watchId: string, options: JsonOption) => {
      await callService(context, { method: 'DELETE', path: `/v1/watches/${encodeURIComponent(watchId)}` })
      answer(context, options, { watch_id: watchId, removed: true }, () => `Watch ${watchId} has ended.`)
    })
}

interface AddOptions extends JsonOption {
  readonly chain?: string
  readonly reference?: string
  readonly digest?: boolean
}
