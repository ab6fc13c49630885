#!/usr/bin/env node
/** The package for users of an installation: `npx @cupel/cli screen …`. */
import { resolve } from 'node:path'
import { CommandError, contextWith, EXIT_USAGE, explainCommand, namedService } from '@cupel/command-line'
import { runCommand } from '../run-command.js'
import { createClientProgram } from './client-program.js'

const args = process.argv.slice(2)
const context = contextWith(process.env, args, {
  home: process.cwd(),
  // A script of a user's own package runs in the folder of that package, whatever its name.
  path: (text) => resolve(text),
  config: () => Promise.reject(new CommandError('This command works in an installation only.', EXIT_USAGE)),
  service: () => namedService(process.env),
})
await runCommand(args, {
  context,
  program: async () => createClientProgram(context),
  explain: explainCommand,
})
