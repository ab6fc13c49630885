/** Imports one file as a process of its own, which a failpoint may kill: `import-child.ts CONNECTION FILE`. */
import { openDatabase } from '@cupel/postgres'
import { importLedger } from '../src/index.js'

const [connectionString, file] = process.argv.slice(2)
const database = openDatabase({
  connectionString: connectionString!,
  maxConnections: 3,
  applicationName: 'child',
})
const result = await importLedger(
  { file: file!, format: 'csv', chain: 'ETH', importedBy: 'operator:child' },
  { database },
)
process.stdout.write(JSON.stringify(result))
await database.close()
