/** `changes`, `confirm` and `refuse` of `cupel keys` and `cupel policy`: what one person proposes and another one decides, through the running API. */
import { answer, callService, table, type CliContext, type JsonOption } from '@cupel/command-line'
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
  readonly effect?: {
    readonly is_outdated: boolean
    readonly settings: readonly { readonly path: string; readonly from: unknown; readonly to: unknown }[]
  } | null
  readonly new_key?: { readonly key_id: string; readonly key: string } | null
}

interface ChangePage {
  readonly items: readonly ChangeInShort[]
  readonly next_page_token: string | null
}

const CHANGES = '/v1/proposed-changes'

/** `kind`: lists only changes of this kind. `scope`: of the key that the commands need. */
export function registerProposedChanges(
  group: Command,
  context: CliContext,
  { kind, scope }: { readonly kind?: string; readonly scope: 'admin' | 'operator' },
): void {
  const withKey = `Calls the running service with CUPEL_API_KEY, a key of the scope ${scope}.`
  group
    .command('changes')
    .summary('list proposed changes')
    .description(`Lists the changes that wait for a decision. ${withKey}`)
    .option('--page-token <token>', 'the next page, as the page before names it')
    .option('--json', 'answer as the API does')
    .action(async (options: JsonOption & { readonly pageToken?: string }) => {
      const token = options.pageToken === undefined ? {} : { page_token: options.pageToken }
      const ofKind = kind === undefined ? {} : { change_kind: kind }
      const path = `${CHANGES}?${new URLSearchParams({ show: 'open', ...ofKind, ...token }).toString()}`
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
    group
      .command(`${decision} <change-id>`)
      .description(`${does} ${withKey}`)
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
  const { effect } = one
  const other = one.needs_second_person ? 'Another person must confirm it.' : 'You cannot confirm it.'
  const why = effect?.is_outdated === true ? 'Another policy came into force since; propose it again.' : other
  const mayDo = status === 'open' && !one.may_confirm ? ` ${why}` : ''
  return [
    `${id}: ${kind.replaceAll('_', ' ')}, ${status}.${mayDo}`,
    `Proposed ${at} by ${by.person ?? `key ${by.key_id}`}: ${reason}`,
    ...(change === null ? ['Nobody can read any more what it changes.'] : changed({ ...one, change })),
    ...(made === null || made === undefined
      ? []
      : [`Key ${made.key_id}. It is shown this once:\n\n  ${made.key}\n`]),
  ].join('\n')
}

/** The settings that an open change of the policy changes, or the fields of another one. */
function changed({
  kind,
  change,
  effect,
}: ChangeInShort & { readonly change: NonNullable<ChangeInShort['change']> }): readonly string[] {
  if (kind !== 'activate_policy') return [JSON.stringify(change)]
  const name = `${String(change['id'])} ${String(change['version'])}`
  const settings = effect?.settings ?? []
  if (settings.length === 0) return [name]
  const rows = settings.map(({ path, from, to }) => [path, JSON.stringify(from), JSON.stringify(to)])
  return [name, table([['SETTING', 'IN FORCE', 'PROPOSED'], ...rows])]
}
