/** Temporary folders for brokers that tests start. A new run stops the brokers that a killed run left behind. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isSameProcess, processIdentity, stopOrphans } from '@cupel/local-stack'

const PREFIX = 'cupel-test-kafka-'
const OWNER = 'owner.json'
/** Subfolder in which the brokers of a folder are recorded. */
export const RECORD_FOLDER = 'run'

/** Creates a folder for this run, after it has stopped the brokers of killed runs and removed their folders. */
export async function newKafkaFolder(): Promise<string> {
  await removeAbandoned()
  const folder = await mkdtemp(join(tmpdir(), PREFIX))
  const owner = { pid: process.pid, identity: processIdentity(process.pid) }
  await writeFile(join(folder, OWNER), JSON.stringify(owner))
  return folder
}

async function removeAbandoned(): Promise<void> {
  for (const name of (await readdir(tmpdir())).filter((each) => each.startsWith(PREFIX))) {
    const folder = join(tmpdir(), name)
    if (!(await isAbandoned(folder))) continue
    await stopOrphans(join(folder, RECORD_FOLDER))
    await rm(folder, { recursive: true, force: true })
  }
}

async function isAbandoned(folder: string): Promise<boolean> {
  try {
    const owner: unknown = JSON.parse(await readFile(join(folder, OWNER), 'utf8'))
    return !isSameProcess(owner as { pid: number; identity: string })
  } catch {
    // The owner is writing the file at this moment, or another program created the folder.
    return false
  }
}
