/** `cupel ledger followers` and `cupel ledger unfollow`: which chains are followed from nodes. */
import { findChain } from '@cupel/domain'
import { followerFault, forgetFollower, listFollowers, type SeenFollower } from '../../index.js'
import type { Command } from 'commander'
import {
  answer,
  snakeCase,
  table,
  type JsonOption,
  type CliContext,
  CommandError,
  EXIT_NOT_FOUND,
  EXIT_USAGE,
} from '@cupel/command-line'
import { withConnections } from '@cupel/command-line/installation'

export function registerFollowers(ledger: Command, context: CliContext): void {
  ledger
    .command('followers')
    .summary('list the chains that are followed, and how far behind they are')
    .description('List the chains that are followed from nodes, with the lag and the fault of each follower.')
    .option('--json', 'answer in JSON')
    .action(async (options: JsonOption) => {
      const followers = await withConnections(context, async ({ database }) => await listFollowers(database))
      const items = followers.map((one) => ({ ...snakeCase(one), fault: followerFault(one) }))
      answer(context, options, { items }, () =>
        followers.length === 0 ? 'No chain is followed.' : textOf(followers),
      )
    })
  ledger
    .command('unfollow')
    .summary('a chain is not followed any more')
    .description('State that a chain is not followed any more: then nobody misses its follower.')
    .argument('<chain>', 'code of the chain')
    .action(async (code: string) => {
      const chain = findChain(code)?.code
      if (chain === undefined) throw new CommandError('This is not a known chain.', EXIT_USAGE)
      const wasFollowed = await withConnections(
        context,
        async ({ database }) => await forgetFollower(database, chain),
      )
      if (!wasFollowed) throw new CommandError(`${chain} is not followed.`, EXIT_NOT_FOUND)
      context.print(`${chain} is not followed any more. What was imported stays.`)
    })
}

const textOf = (followers: readonly SeenFollower[]): string =>
  table([
    ['CHAIN', 'NEXT HEIGHT', 'BEHIND', 'LAST BLOCK', 'FAULT'],
    ...followers.map((one) => [
      one.chain,
      `${one.nextHeight}`,
      one.lagBlocks === null ? '-' : `${one.lagBlocks} blocks`,
      one.lagS === null ? '-' : `${one.lagS} s ago`,
      followerFault(one) ?? '-',
    ]),
  ])
