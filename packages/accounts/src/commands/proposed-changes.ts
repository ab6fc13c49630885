/** `cupel keys changes`, `confirm` and `refuse`: changes of keys and lists that one person proposes and another one decides, through the running API. */
import { answer, callService, type CliContext, type JsonOption } from '@cupel/command-line'
import type { Command } from 'commander'

export interface ChangeInShort {
  readonly change_id: string
  readonly status: string
  readonly kind: string
  readonly change: Readonly<Record<string, unknown>> | null
  readonly reason: string
  readonly proposed_by: { readonly key_id: string; readonly person: string | null }
  readonly proposed_at: string
  readonly needs_second_person: boolean
  readonly may_confirm: boolean
  readonly new_key?: { readonly key_id: string; readonly key: string } | null
}

interface ChangePage {
  readonly items: readonly ChangeInShort[]
  readonly next_page_token: string | null
}

const CHANGES = '/v1/proposed-changes'
const WITH_KEY = 'Calls the running service with CUPEL_API_KEY, a key of the scope admin.'

export function registerProposedChanges(keys: Command, context: CliContext): void {
  keys
    .command('changes')
    .summary('list proposed changes')
    .description(`Lists the changes of keys and lists that wait for a decision. ${WITH_KEY}`)
    .option('--page-token <token>', 'the next page, as the page before names it')
    .option('--json', 'answer as the API does')
    .action(async (options: JsonOption & { readonly pageToken?: string }) => {
      const token = options.pageToken === undefined ? {} : { page_token: options.pageToken }
      const path = `${CHANGES}?${new URLSearchParams({ show: 'open', ...token }).toString()}`
      const page = JSON.parse(await callService(context, { method: 'GET', path })) as ChangePage
      answer(context, options, page, () => changesText(page))
    })
  for (const [decision, does] of [
    [
      'confirm',
      'Makes a proposed change. Another person than its proposer must do it if the service asks for one.',
    ],
    ['refuse', 'Refuses a proposed change. Nothing changes.'],
  ] as const)
    keys
      .command(`${decision} <change-id>`)
      .description(`${does} ${WITH_KEY}`)
      .option('--json', 'answer as the API does')
      .action(async (id: string, options: JsonOption) => {
        const path = `${CHANGES}/${encodeURIComponent(id)}/decision`
        const text = await callService(context, { method: 'POST', path, body: { decision } })
        const done = JSON.parse(text) as ChangeInShort
        answer(context, options, done, () => changeText(done))
      })
}

export function changesText({ items, next_page_token: next }: ChangePage): string {
  if (items.length === 0) return 'No change waits.'
  const more = next === null ? [] : [`There are more: --page-token ${next}`]
  return [...items.map(changeText), ...more].join('\n\n')
}

export function changeText(one: ChangeInShort): string {
  const { change_id: id, kind, status, change, reason, proposed_by: by, proposed_at: at, new_key: made } = one
  const why = one.needs_second_person ? 'Another person must confirm it.' : 'You cannot confirm it.'
  const mayDo = status === 'open' && !one.may_confirm ? ` ${why}` : ''
  return [
    `${id}: ${kind.replaceAll('_', ' ')}, ${status}.${mayDo}`,
    `Proposed ${at} by ${by.person ?? `key ${by.key_id}`}: ${reason}`,
    change === null ? 'Nobody can read any more what it changes.' : JSON.stringify(change),
    ...(made === null || made === undefined
      ? []
      : [`Key ${made.key_id}. It is shown this once:\n\n  ${made.key}\n`]),
  ].join('\n')
}
