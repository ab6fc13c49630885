// Prints the bill of materials of the checkout in the image build, which is installed without the record of scripts/setup.mjs.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readDependencies } from '../../scripts/dependencies/read.mjs'
import { billOfMaterials } from '../../scripts/dependencies/sbom.mjs'
import { root } from '../../scripts/setup.mjs'

const readJson = (file) => JSON.parse(readFileSync(join(root, file), 'utf8'))
const jars = readFileSync(join(root, 'deploy/kafka/jars.sha256'), 'utf8')
const bill = billOfMaterials(
  readJson('package.json'),
  readDependencies(root),
  readJson('dependencies.json'),
  jars,
)
process.stdout.write(`${JSON.stringify(bill, null, 2)}\n`)
