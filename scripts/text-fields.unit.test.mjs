import { expect, test } from 'vitest'
import { faultsOfTextFields, textFieldRows, textFieldsOf } from './text-fields.mjs'

/**
 * @param {string} name
 * @param {unknown} type
 */
const text = (name, type = 'string') => ({ name, type })
const item = { type: 'record', name: 'Item', fields: [text('label'), text('count', 'int')] }
const schema = {
  ...{ type: 'record', name: 'NoteMade' },
  fields: [
    text('noteId'),
    text('text', ['null', 'string']),
    text('tags', { type: 'array', items: 'string' }),
    text('items', { type: 'array', items: item }),
    text('more', ['null', 'Item']),
    text('left', { type: 'map', values: 'long' }),
  ],
}
const kinds = {
  id: { says: 'An id.', fields: ['noteId', 'tags'] },
  code: { says: 'A code.', fields: ['left', 'Item.label'] },
}
const facts = {
  kinds,
  schemas: new Map([['NoteMade', schema]]),
  subjects: { 'a-NoteMade': { record: 'NoteMade', personal: ['text'], operators: [], call: null } },
}
const with_ = (change) => faultsOfTextFields({ ...facts, kinds: { ...kinds, ...change } }).join()

test('every text of an event is found: in a list, a union, a map, a nested record and one that is only named', () => {
  expect(textFieldsOf(schema).map(({ path }) => path)).toEqual([
    'noteId',
    'text',
    'tags[]',
    'items[].label',
    'more.label',
    'left',
  ])
})

test('an event whose texts all have one decision is accepted, and the table names each once', () => {
  expect(faultsOfTextFields(facts)).toEqual([])
  expect(textFieldRows(facts).map(([name, kind]) => [name, kind])).toEqual([
    ['`Item.label`', 'code'],
    ['`NoteMade.left`', 'code'],
    ['`NoteMade.noteId`', 'id'],
    ['`NoteMade.tags`', 'id'],
    ['`NoteMade.text`', 'sealed'],
  ])
})

test('a text without a decision, with two, or that no event has is refused by name', () => {
  expect(with_({ code: { says: '', fields: ['left'] } })).toContain(
    'a text without a decision: items[].label',
  )
  expect(with_({ list: { says: '', fields: ['tags'] } })).toContain('tags[] as id and list')
  expect(with_({ list: { says: '', fields: ['NoteMade.text'] } })).toContain('text as sealed and list')
  expect(with_({ list: { says: '', fields: ['gone'] } })).toContain('No event has the text gone')
})

test('a name of free text is decided record by record', () => {
  expect(with_({ code: { says: '', fields: ['left', 'label'] } })).toContain(
    'label is decided for one record only',
  )
})
