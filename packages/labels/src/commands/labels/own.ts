/** `cupel labels own` and `cupel labels search`: own labels of an account, and what lists state, through the running API. */
import type { Command } from 'commander'
import { answer, table, type JsonOption, type CliContext, callService } from '@cupel/command-line'

interface OwnLabelLine {
  readonly label_id: string
  readonly decision: string
  readonly category: string | null
  readonly address: string
  readonly chain: string
  readonly reason: string
  readonly status: string
  readonly expires_at: string | null
}

interface LabelLine {
  readonly address: string
  readonly chain: string
  readonly category: string
  readonly entity: string
  readonly source: string
  readonly dataset: string
  readonly status: string
  readonly known_from: string
}

interface Page<T> {
  readonly items: readonly T[]
  readonly next_page_token: string | null
}

interface PageOption extends JsonOption {
  readonly pageToken?: string
}

const OWN_LABELS = '/v1/own-labels'

export function registerOwn(labels: Command, context: CliContext): void {
  const own = labels
    .command('own')
    .summary('list the own labels of the account, block and allow addresses')
    .description(
      'Lists the labels that the account stated itself, newest first. Calls the running service with CUPEL_API_KEY.',
    )
    .option('--page-token <token>', 'the next page, as the page before names it')
    .option('--json', 'answer as the API does')
    .action(async ({ pageToken, ...options }: PageOption) => {
      const path = pathOf(OWN_LABELS, { page_token: pageToken })
      const page = JSON.parse(await callService(context, { method: 'GET', path })) as Page<OwnLabelLine>
      answer(context, options, page, () => ownLabelsText(page))
    })
  registerStatement(own, context, 'block')
  registerStatement(own, context, 'allow')
  own
    .command('remove <label-id>')
    .summary('remove an own label')
    .description('Removes a label: it counts no more from the next screen on.')
    .option('--json', 'answer with one line of JSON')
    .action(async (labelId: string, options: JsonOption) => {
      await callService(context, { method: 'DELETE', path: `${OWN_LABELS}/${encodeURIComponent(labelId)}` })
      answer(context, options, { label_id: labelId, removed: true }, () => `Label ${labelId} is removed.`)
    })
}

interface StatementOptions extends JsonOption {
  readonly reason: string
  readonly category?: string
  readonly chain?: string
  readonly expires?: string
}

/** Needs a key with the scope `admin`. */
function registerStatement(own: Command, context: CliContext, decision: 'block' | 'allow'): void {
  const isBlock = decision === 'block'
  const command = own
    .command(`${decision} <address>`)
    .summary(`${decision} an address`)
    .description(
      isBlock
        ? 'States a block label: it has points in its category, from the next screen of this account on.'
        : 'States an allow label. It has no points and hides no other statement; it only says that you know whose value the address holds.',
    )
    .requiredOption('--reason <text>', 'why; no report contains it')
  if (isBlock) command.requiredOption('--category <category>', 'sanctions, darknet, mixer, scam or stolen')
  command
    .option('--chain <code>', 'chain of the address; detected by default')
    .option('--expires <time>', 'from then on the label counts no more; RFC 3339')
    .option('--json', 'answer as the API does')
    .action(async (address: string, { reason, category, chain, expires, ...options }: StatementOptions) => {
      const body = { address, decision, category, chain, reason, expires_at: expires }
      const text = await callService(context, { method: 'POST', path: OWN_LABELS, body })
      const label = JSON.parse(text) as OwnLabelLine
      answer(context, options, label, () => ownLabelsText({ items: [label], next_page_token: null }))
    })
}

interface SearchOptions extends PageOption {
  readonly address?: string
  readonly chain?: string
  readonly source?: string
  readonly dataset?: string
  readonly category?: string
  readonly entity?: string
}

export function registerSearch(labels: Command, context: CliContext): void {
  labels
    .command('search')
    .summary('search the labels of lists')
    .description(
      'Shows which labels an address, a list, a category or an owner has, those that ended too. Calls the running service with CUPEL_API_KEY.',
    )
    .option('--address <address>', 'labels that count for this address')
    .option('--chain <code>', 'chain of the address')
    .option('--source <source>', 'publisher, such as ofac_sdn')
    .option('--dataset <dataset>', 'list of the publisher')
    .option('--category <category>', 'category')
    .option('--entity <name>', 'the beginning of the name of the owner')
    .option('--page-token <token>', 'the next page, as the page before names it')
    .option('--json', 'answer as the API does')
    .action(async (given: SearchOptions) => {
      const { pageToken, address, chain, source, dataset, category, entity, ...options } = given
      const query = { address, chain, source, dataset, category, entity, page_token: pageToken }
      const path = pathOf('/v1/labels', query)
      const page = JSON.parse(await callService(context, { method: 'GET', path })) as Page<LabelLine>
      answer(context, options, page, () => labelsText(page))
    })
}

const pathOf = (path: string, query: Readonly<Record<string, string | undefined>>): string => {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`
}

const more = (next: string | null): readonly string[] =>
  next === null ? [] : [`There are more: --page-token ${next}`]

export function ownLabelsText({ items, next_page_token: next }: Page<OwnLabelLine>): string {
  if (items.length === 0) return ['No own label was stated.', ...more(next)].join('\n')
  const rows = items.map(({ label_id, decision, category, address, chain, status, expires_at, reason }) => [
    ...[label_id, category === null ? decision : `${decision}: ${category}`, address, chain, status],
    ...[expires_at ?? 'never', reason],
  ])
  return [
    table([['LABEL', 'STATEMENT', 'ADDRESS', 'CHAIN', 'STATUS', 'EXPIRES', 'WHY'], ...rows]),
    ...more(next),
  ].join('\n')
}

export function labelsText({ items, next_page_token: next }: Page<LabelLine>): string {
  if (items.length === 0)
    return next === null
      ? 'No list states such a label. That does not say that an address is safe.'
      : ['None so far.', ...more(next)].join('\n')
  const rows = items.map(({ category, address, chain, entity, source, dataset, status, known_from }) => [
    ...[category, address, chain, entity, `${source}/${dataset}`, status, known_from],
  ])
  return [
    table([['CATEGORY', 'ADDRESS', 'CHAIN', 'OWNER', 'LIST', 'STATUS', 'KNOWN SINCE'], ...rows]),
    ...more(next),
  ].join('\n')
}
