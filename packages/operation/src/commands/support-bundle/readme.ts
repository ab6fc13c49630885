/** The page that explains a support bundle to its reader. */
import type { TarFile } from './tar.js'

const ABOUT: Readonly<Record<string, string>> = {
  'settings.json': 'the settings of the command that made this; a value is told where it can be no secret',
  'machine.json': 'versions, processors and memory',
  'sizes-of-the-home.json': 'bytes of each file and folder of CUPEL_HOME',
  'checks.json': 'what `cupel doctor` found',
  'status.json': 'what `cupel status` shows',
  'log.json': 'offsets of every partition, and how far each group is',
  'database.json': 'sizes of tables, and connections',
}

export function readmeOf(files: readonly TarFile[], faults: readonly string[]): TarFile {
  const rows = files.map(({ name }) => `  ${name}${ABOUT[name] === undefined ? '' : `: ${ABOUT[name]}`}`)
  const text = [
    'A support bundle of Cupel.',
    '',
    'Secrets, credentials and addresses that were screened are taken out: [secret removed], [address removed].',
    'Hosts, names of accounts, ids of keys and of reports are in it.',
    'metrics/ holds one scrape of each service, logs/ the ends of the logs of a local installation. Logs of services elsewhere are not in it.',
    '',
    'Files:',
    ...rows,
    '',
    ...(faults.length === 0 ? ['Nothing is missing.'] : ['Missing:', ...faults.map((fault) => `  ${fault}`)]),
    '',
  ]
  return { name: 'README.txt', text: text.join('\n') }
}
