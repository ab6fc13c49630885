/** Imports one file as a process of its own, which a failpoint may kill: `import-child.ts CONNECTION FILE`. */
import { importLabels } from '../../src/index.js'
import { openDeps, openTestDatabase } from './installation.js'

const [connectionString, file] = process.argv.slice(2)
const database = openTestDatabase(connectionString!)
const deps = await openDeps(database, { prepare: false })
const result = await importLabels({ file: file!, format: 'csv', importedBy: 'operator:child' }, deps)
process.stdout.write(JSON.stringify(result))
await deps.log.close()
await database.close()
