/** `cupel policy`: the versioned document with the numbers of the judgement. */
import type { Command } from 'commander'
import type { CliContext } from '@cupel/command-line'
import { registerActivate } from './activate.js'
import { registerCheck } from './check.js'
import { registerDiff } from './diff.js'
import { registerPropose } from './propose.js'
import { registerShow } from './show.js'

export function registerPolicy(program: Command, context: CliContext): void {
  const policy = program
    .command('policy')
    .summary('show, check, compare and activate policies')
    .description('Show the policy in force, check another one, see what it would change, and activate it.')
  registerShow(policy, context)
  registerCheck(policy, context)
  registerDiff(policy, context)
  registerActivate(policy, context)
  registerPropose(policy, context)
}
