/** `cupel policy proposals`, `propose` and `approve`: proposals of policies, through the running API. */
import type { Command } from 'commander'
import { answer, callService, table, type CliContext, type JsonOption } from '@cupel/command-line'
import { requiredReason } from '@cupel/command-line/installation'
import { usableFile } from './policy-file.js'

export interface Proposal {
  readonly proposal_id: string
  readonly status: string
  readonly policy: { readonly id: string; readonly version: number }
  readonly reason: string
  readonly proposed_by: { readonly key_id: string; readonly person: string | null }
  readonly proposed_at: string
  readonly needs_second_person: boolean
  readonly may_activate: boolean
  readonly settings: readonly { readonly path: string; readonly from: unknown; readonly to: unknown }[]
}

const PROPOSALS = '/v1/policy/proposals'
const WITH_KEY = 'Calls the running service with CUPEL_API_KEY, a key of the scope operator.'

export function registerProposals(policy: Command, context: CliContext): void {
  const one = async (method: 'GET' | 'POST', path: string, body?: object): Promise<Proposal> =>
    JSON.parse(
      await callService(context, { method, path, ...(body === undefined ? {} : { body }) }),
    ) as Proposal
  policy
    .command('proposals')
    .summary('list proposed policies')
    .description(`Lists the newest proposals of policies, with what each would change. ${WITH_KEY}`)
    .option('--json', 'answer as the API does')
    .action(async (options: JsonOption) => {
      const page = JSON.parse(await callService(context, { method: 'GET', path: PROPOSALS })) as {
        readonly items: readonly Proposal[]
      }
      answer(context, options, page, () =>
        page.items.length === 0 ? 'No policy was proposed yet.' : page.items.map(proposalText).join('\n\n'),
      )
    })
  policy
    .command('propose <file>')
    .summary('propose a policy')
    .description(
      `Proposes the policy of a file. It decides nothing until somebody puts it in force, in the console or with \`cupel policy approve\`. ${WITH_KEY}`,
    )
    .requiredOption('--reason <text>', 'why, for whoever puts it in force')
    .option('--json', 'answer as the API does')
    .action(async (file: string, options: JsonOption & { readonly reason: string }) => {
      const reason = requiredReason(options.reason)
      const { document } = usableFile(context, file)
      const made = await one('POST', PROPOSALS, { policy: document, reason })
      answer(context, options, made, () => proposalText(made))
    })
  policy
    .command('approve <proposal-id>')
    .summary('put a proposed policy in force')
    .description(
      `Puts a proposed policy in force. Where CUPEL_POLICY_SECOND_PERSON is set, another person than its proposer must do it. ${WITH_KEY}`,
    )
    .option('--json', 'answer as the API does')
    .action(async (id: string, options: JsonOption) => {
      const done = await one('POST', `${PROPOSALS}/${encodeURIComponent(id)}/activate`)
      answer(context, options, done, () => proposalText(done))
    })
}

export function proposalText(proposal: Proposal): string {
  const { proposal_id: id, status, policy, proposed_by: by, proposed_at: at, reason, settings } = proposal
  const other = proposal.needs_second_person ? 'Another person' : 'A live key'
  const mayDo = status === 'open' && !proposal.may_activate ? ` ${other} must put it in force.` : ''
  const lines = [
    `${id}: ${policy.id} ${policy.version}, ${status.replaceAll('_', ' ')}.${mayDo}`,
    `Proposed ${at} by ${by.person ?? `key ${by.key_id}`}: ${reason}`,
  ]
  if (settings.length > 0)
    lines.push(
      table([
        ['SETTING', 'IN FORCE', 'PROPOSED'],
        ...settings.map(({ path, from, to }) => [path, JSON.stringify(from), JSON.stringify(to)]),
      ]),
    )
  return lines.join('\n')
}
