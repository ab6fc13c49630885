// Makes a copied checkout a small next version, so that tests can upgrade to it: this version is released in the copy, and what comes after
// it adds a field to an event, a table, and a scorer with another name.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

export const NEXT = {
  event: 'ScreenRequested',
  field: { name: 'noteOfNextVersion', type: ['null', 'string'], default: null },
  migration: { owner: 'labels', folder: 'packages/labels/src/sql', file: '0002-next-version.sql' },
  table: 'labels.next_version',
  scorer: '99.0.0',
}
/** In the copy it is the commit of the release. */
const COMMIT = '0'.repeat(40)

/** Changes a copy that has its dependencies. It is not built yet. */
export async function becomeNextVersion(folder) {
  const node = (...args) => execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const release = version.replace('-dev', '')
  node('scripts/release.mjs', release)
  node('scripts/release.mjs', release, '--trial', COMMIT)
  await addScorer(folder)
  addTable(folder)
  addField(folder, node)
  node('scripts/generate.mjs')
  return release
}

async function addScorer(folder) {
  const { beginScorer } = await import(pathToFileURL(join(folder, 'scripts/scorers.mjs')).href)
  await beginScorer(NEXT.scorer, { root: folder, commit: null })
}

function addTable(folder) {
  const sql = `CREATE TABLE ${NEXT.table} (chain text PRIMARY KEY, noted_at timestamptz NOT NULL DEFAULT now());\n`
  writeFileSync(join(folder, NEXT.migration.folder, NEXT.migration.file), sql)
}

/** The released sample of the event stays; the next one is of the schema with the field. */
function addField(folder, node) {
  const subjects = JSON.parse(readFileSync(join(folder, 'schemas/subjects.json'), 'utf8'))
  const { schema: path } = Object.values(subjects).find(({ record }) => record === NEXT.event)
  const file = join(folder, 'schemas', path)
  const schema = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify({ ...schema, fields: [...schema.fields, NEXT.field] }, null, 2))
  const textFields = join(folder, 'schemas/text-fields.json')
  const decided = JSON.parse(readFileSync(textFields, 'utf8'))
  decided.code.fields.push(NEXT.field.name)
  writeFileSync(textFields, JSON.stringify(decided, null, 2))
  const sample = JSON.parse(readFileSync(join(folder, `schemas/golden/${NEXT.event}/1.json`), 'utf8'))
  writeFileSync(join(folder, 'data.json'), JSON.stringify({ ...sample, [NEXT.field.name]: 'a note' }))
  node('packages/event-log/scripts/golden-sample.mjs', NEXT.event, 'data.json')
}
