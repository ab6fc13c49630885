// Makes the next scorer version:  npm run scorer:next -- 1.1.0
// Marks the current version as released, copies its whole folder, and makes the copy the current one. Unit tests move to the
// copy, because a released folder cannot change.
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { dirname, join, relative } from 'node:path'
import { digestOf, folderOf, isTest, readTable, writeTable } from './scorers.mjs'

const [next] = process.argv.slice(2)
const table = readTable()
const { current } = table
if (next === undefined || !/^\d+\.\d+\.\d+$/.test(next) || existsSync(folderOf(next))) {
  console.error(`usage: npm run scorer:next -- <version>, such as 1.1.0; the current version is ${current}`)
  process.exit(2)
}

cpSync(folderOf(current), folderOf(next), { recursive: true, filter: (source) => !isTest(source) })
writeFileSync(
  join(folderOf(next), 'version.ts'),
  `/** Names this folder in every report it decides. A released folder never changes. */\nexport const SCORER_VERSION = '${next}'\n`,
)
for (const entry of readdirSync(folderOf(current), { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !isTest(entry.name)) continue
  const from = join(entry.parentPath, entry.name)
  const to = join(folderOf(next), relative(folderOf(current), from))
  mkdirSync(dirname(to), { recursive: true })
  renameSync(from, to)
}
table.versions[current] = { released: true, sha256: digestOf(current) }
table.versions[next] = { released: false }
table.current = next
writeTable(table)
console.log(
  `Scorer ${current} is released; ${next} is the current one. Boundary rules and the build find it by its folder.`,
)
process.exit(spawnSync('npm', ['run', 'generate'], { stdio: 'inherit' }).status ?? 1)
