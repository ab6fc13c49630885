/** `cupel watches`: the watched addresses of an account, through the running API. */
import type { Command } from 'commander'
import { answer, type JsonOption } from '../answer.js'
import type { CliContext } from '../context.js'
import { callService } from '../service-call.js'
import { watchesText, type WatchPage } from './watches-text.js'

export function registerWatches(program: Command, context: CliContext): void {
  program
    .command('watches')
    .summary('list watched addresses')
    .description(
      `Lists the watched addresses, newest first, with their last levels, and what of the lists lets none of them be green now. Calls the
running service with CUPEL_API_KEY or the demo key.`,
    )
    .option('--page-token <token>', 'the next page, as the page before names it')
    .option('--json', 'answer as the API does')
    .action(async ({ pageToken, ...options }: JsonOption & { readonly pageToken?: string }) => {
      const query = pageToken === undefined ? '' : `?${new URLSearchParams({ page_token: pageToken })}`
      const path = `/v1/watches${query}`
      const page = JSON.parse(await callService(context, { method: 'GET', path })) as WatchPage
      answer(context, options, page, () => watchesText(page))
    })
}
