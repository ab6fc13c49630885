// Runs the pnpm of the project, by its hash, inside an image build: node deploy/images/pnpm.mjs ARGUMENT…
import { spawnSync } from 'node:child_process'
import { fetchPnpm, orExplain, root } from '../../scripts/setup.mjs'

await orExplain(async () => {
  const pnpm = await fetchPnpm()
  const args = [pnpm, ...process.argv.slice(2), '--reporter', 'append-only']
  process.exitCode = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1
})
