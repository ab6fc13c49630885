/** Attacks on data outside the installation's processes: peers on other machines, files of the home, tables. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { endedJob, submitJob } from '../bulk-client.js'
import { createClient } from '../client.js'
import { cupel } from '../command.js'
import type { Attack } from './attack.js'

const JOB_TIMEOUT_MS = 120_000

/** Settings that would send secrets where others can read them, and the words that the refusal must contain. */
function openPeer(
  name: string,
  named: string,
  settings: Readonly<Record<string, string>>,
  command: readonly string[] = ['status'],
): Attack {
  return {
    name,
    threat: 'exposure',
    place: 'installation',
    async run({ installation }) {
      const { exitCode, stderr } = await cupel(installation.home, command, settings)
      return {
        limit: `refused, with the word ${named}`,
        measured: `exit code ${exitCode}`,
        held: exitCode !== 0 && stderr.includes(named) && !stderr.includes('SECRET'),
      }
    },
  }
}

const database = 'postgres://cupel:SECRET@db.example'

export const neighbours: readonly Attack[] = [
  openPeer('a database of another machine without TLS', 'CUPEL_DATABASE_INSECURE', {
    CUPEL_DATABASE_URL: `${database}/cupel`,
  }),
  openPeer('a database whose certificate nobody checks', 'CUPEL_DATABASE_INSECURE', {
    CUPEL_DATABASE_URL: `${database}/cupel?sslmode=no-verify`,
  }),
  openPeer('a password for a broker without TLS', 'CUPEL_KAFKA_INSECURE', {
    CUPEL_DATABASE_URL: 'postgres://cupel:SECRET@127.0.0.1/cupel',
    CUPEL_LOG: 'kafka',
    CUPEL_KAFKA_BROKERS: 'kafka.example:9092',
    CUPEL_KAFKA_SASL_MECHANISM: 'plain',
    CUPEL_KAFKA_USERNAME: 'cupel',
    CUPEL_KAFKA_PASSWORD: 'SECRET',
  }),
  openPeer(
    'a token for a schema registry without TLS',
    'CUPEL_REGISTRY_INSECURE',
    {
      CUPEL_DATABASE_URL: 'postgres://cupel:SECRET@127.0.0.1/cupel',
      CUPEL_LOG: 'kafka',
      CUPEL_KAFKA_BROKERS: '127.0.0.1:9',
      CUPEL_REGISTRY_URL: 'http://registry.example',
      CUPEL_REGISTRY_TOKEN: 'SECRET',
    },
    ['doctor'],
  ),
  openPeer('a process that trusts any certificate', 'NODE_TLS_REJECT_UNAUTHORIZED', {
    NODE_TLS_REJECT_UNAUTHORIZED: '0',
  }),
  {
    name: 'files of the home read by another user',
    threat: 'exposure',
    place: 'installation',
    run({ installation }) {
      const open = openToOthers(installation.home)
      return Promise.resolve({
        limit: 'none',
        measured: open.length === 0 ? 'none' : open.slice(0, 3).join(', '),
        held: open.length === 0,
      })
    },
  },
  {
    name: 'formulas in a table, for every separator',
    threat: 'exposure',
    async run({ baseUrl, attacker }) {
      const texts = ['=1+1', 'a;=1+1', 'a\t@x', 'a;"=1', '\u200b=1', 'a|-1']
      const client = createClient([baseUrl], attacker.key)
      try {
        const job = await submitJob(client, texts, `formulas-${Date.now()}`)
        await endedJob(client, job.job_id, JOB_TIMEOUT_MS)
        const answer = await fetch(`${baseUrl}/v1/bulk/${job.job_id}/results`, {
          headers: { accept: 'text/csv', authorization: `Bearer ${attacker.key}` },
        })
        const formulas =
          (await answer.text()).match(/(?:^|[,;|\t\r\n])["\s\u200b]*[=+\-@|][^,;|\t\r\n]*/g) ?? []
        return {
          limit: 'no cell begins like a formula',
          measured: `${answer.status}, ${formulas.length} formulas in ${texts.length} cells`,
          held: answer.status === 200 && formulas.length === 0,
        }
      } finally {
        await client.close()
      }
    },
  },
]

/** Paths that others may read or write. They may traverse a folder, because the user of the database does. */
function openToOthers(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => {
      // Services create and delete files meanwhile.
      const found = statSync(path, { throwIfNoEntry: false })
      return found !== undefined && (found.mode & (found.isDirectory() ? 0o066 : 0o077)) !== 0
    })
}
