// npm run test:nodes: tests under each supported version of Node except the lowest one, which runs everything else.
//
//   npm run test:nodes                       the unit tests, with few generated cases
//   npm run test:nodes -- --only int         these kinds of tests
//   npm run test:nodes -- --only int FILE…   these files of them
import { spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import { nodeProgram, nodeVersions } from './node-programs.mjs'
import { orExplain, root, setUp } from './setup.mjs'
import { planOf, UsageError } from './test/plan.mjs'

const UNITS = ['--only', 'unit']

const args = process.argv.length > 2 ? process.argv.slice(2) : UNITS
try {
  planOf(args)
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  console.error(error.message)
  process.exit(2)
}
await orExplain(async () => {
  await setUp({ build: false })
  for (const wanted of nodeVersions) {
    const node = await nodeProgram(wanted, root)
    console.log(`\nNode ${wanted.version}`)
    if ((await run(node)) !== 0) process.exitCode = 1
  }
})

/** Resolves to the exit code. */
function run(node) {
  return new Promise((resolve, reject) => {
    const child = spawn(node, [join(root, 'scripts/test.mjs'), ...args], {
      cwd: root,
      stdio: 'inherit',
      // Programs that a test starts by name are of this version too.
      env: {
        CUPEL_TEST_BUDGET_MS: '0',
        ...process.env,
        PATH: `${dirname(node)}:${process.env.PATH}`,
      },
    })
    child.once('error', reject)
    child.once('close', resolve)
  })
}
