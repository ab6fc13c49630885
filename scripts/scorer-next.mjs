// Makes the next scorer version:  npm run scorer:next -- 1.1.0
// Builds the current version into one file, which is released from then on, and makes its folder the one of the next version.
import { spawnSync } from 'node:child_process'
import { beginScorer, checkout, folderOf, isVersion, readTable } from './scorers.mjs'

const [next] = process.argv.slice(2)
const { current, versions } = readTable()
if (!isVersion(next) || next in versions) {
  console.error(`usage: npm run scorer:next -- <version>, such as 1.1.0; the current version is ${current}`)
  process.exit(2)
}
await beginScorer(next, { commit: versions[current].released ? null : committed() })
console.log(`Scorer ${current} is released; ${next} is the current one.`)
process.exit(spawnSync('npm', ['run', 'generate'], { cwd: checkout, stdio: 'inherit' }).status ?? 1)

/** The commit that has the sources of the current scorer. */
function committed() {
  const changed = git('status', '--porcelain', '--', folderOf(current))
  if (changed !== '') throw new Error(`Commit the folder of scorer ${current} first:\n${changed}`)
  return git('rev-parse', 'HEAD').trim()
}

function git(...args) {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: checkout, encoding: 'utf8' })
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`)
  return stdout
}
