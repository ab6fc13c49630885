/** Imports one file in a separate process, which a failpoint may kill: `import-child.ts CONNECTION FILE transfers|prices`. */
import { openDatabase } from '@cupel/postgres'
import { importLedger, importPrices } from '../src/index.js'

const [connectionString, file, kind] = process.argv.slice(2)
const database = openDatabase({
  connectionString: connectionString!,
  maxConnections: 3,
  applicationName: 'child',
})
const importedBy = 'operator:child'
const result =
  kind === 'prices'
    ? await importPrices({ file: file!, importedBy }, { database })
    : await importLedger({ file: file!, format: 'csv', chain: 'ETH', importedBy }, { database })
process.stdout.write(JSON.stringify(result))
await database.close()
