/**
 * Waits until the process that started it is gone, however it ended, and removes what a fault suite leaves: its processes, its volumes
 * and its folder. `node janitor.mjs FOLDER`, with a pipe as standard input that only that process holds open.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

/** Rounds in a row in which no process was left: one that was just starting is seen by the next. */
const QUIET_ROUNDS = 3
const PAUSE_MS = 200
const folder = process.argv[2]

process.stdin.resume()
process.stdin.on('end', () => void clean())
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => undefined)

async function clean() {
  for (let quiet = 0; quiet < QUIET_ROUNDS;) {
    const left = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isOurs(name))
    for (const pid of left) kill(Number(pid))
    quiet = left.length === 0 ? quiet + 1 : 0
    await pause(PAUSE_MS)
  }
  for (const volume of volumes()) execFileSync('umount', ['--lazy', volume])
  rmSync(folder, { recursive: true, force: true })
  process.exit(0)
}

/** The name of the folder is random, so that nobody else's process names it. */
function isOurs(pid) {
  if (Number(pid) === process.pid) return false
  try {
    if (readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')) return false
    return [
      readlinkSync(`/proc/${pid}/cwd`),
      ...['cmdline', 'environ'].map((file) => readFileSync(`/proc/${pid}/${file}`, 'utf8')),
    ].some((text) => text.includes(folder))
  } catch {
    // It ended.
    return false
  }
}

function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended.
  }
}

const volumes = () =>
  readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((path) => path.startsWith(`${folder}/`))
