import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { faultsOfEvents, unnamedSchemas } from './event-facts.mjs'

const root = join(import.meta.dirname, '..')
const text = (name) => ({ name, type: 'string', default: '' })
const call = { name: 'call', type: ['null', { type: 'record', name: 'ApiCall', fields: [text('actor')] }] }
const notes = { type: 'array', items: { type: 'record', name: 'Note', fields: [text('text')] } }
const stated = {
  ...{ topic: 'a.note.events.v1', record: 'NoteMade', schema: 'a/NoteMade.avsc', owner: 'api' },
  ...{ visibility: 'internal', personal: ['notes[].text'], operators: ['madeBy'], audited: true },
  ...{ call: { subjects: ['noteId'], endedAt: 'madeAt' }, restoresTable: false },
}
const fields = [text('noteId'), text('madeAt'), text('madeBy'), { name: 'notes', type: notes }, call]

const faultsOf = (facts, schema = { name: 'NoteMade', fields }) =>
  faultsOfEvents({ [`${facts.topic}-NoteMade`]: facts }, new Map([['NoteMade', schema]]), [
    'a.note.events.v1',
  ])

test('an event that states every fact is accepted', () => {
  expect(faultsOf(stated)).toEqual([])
})

test.each(['owner', 'visibility', 'personal', 'operators', 'call', 'audited', 'restoresTable'])(
  'an event that does not state "%s" is refused with a sentence that names both',
  (fact) => {
    const [fault, ...more] = faultsOf({ ...stated, [fact]: undefined })
    expect(fault).toContain(`NoteMade does not state "${fact}": `)
    expect(more).toEqual([])
  },
)

test('facts that contradict the schema are refused', () => {
  const faults = (change) => faultsOf({ ...stated, ...change }).join()
  expect(faults({ personal: ['notes[].words'] })).toContain('a field that its schema lacks: notes[].words')
  expect(faults({ call: { subjects: ['id'], endedAt: null } })).toContain('a field that its schema lacks: id')
  expect(faults({ call: null })).toContain('its fact "call" is null')
  expect(faults({ topic: 'another' })).toContain('deploy/topics.json lacks: another')
  const withoutCall = { name: 'NoteMade', fields: fields.slice(0, -1) }
  expect(faultsOf(stated, withoutCall).join()).toContain('its schema has no field "call"')
})

test('a schema that schemas/subjects.json does not name is refused', () => {
  const subjects = JSON.parse(readFileSync(join(root, 'schemas/subjects.json'), 'utf8'))
  expect(unnamedSchemas(root, subjects)).toEqual([])
  const [[first, { schema }], ...others] = Object.entries(subjects)
  expect(first).toContain('ScreenRequested')
  expect(unnamedSchemas(root, Object.fromEntries(others))[0]).toContain(
    `does not name the event of schemas/${schema}`,
  )
})
