/** Imports one file in a separate process, which a failpoint may kill: `import-child.ts CONNECTION FILE`. */
import { importLabels } from '../../src/index.js'
import { openChildDeps } from '../child-deps.js'

const [connectionString, file] = process.argv.slice(2)
const { deps, close } = await openChildDeps(connectionString!)
const result = await importLabels({ file: file!, format: 'csv', importedBy: 'operator:child' }, deps)
process.stdout.write(JSON.stringify(result))
await close()
