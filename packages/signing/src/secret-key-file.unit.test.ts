import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { secretKeyFile } from './secret-key-file.js'

class Failure extends Error {}
const kind = {
  ...{ idPrefix: 'one kind ', subject: 'The keys', form: 'a file of keys', setting: 'THE_SETTING', Failure },
}
const [keys, others] = [secretKeyFile(kind), secretKeyFile({ ...kind, idPrefix: 'another kind ' })]
const folder = mkdtempSync(join(tmpdir(), 'cupel-secret-keys-'))
const file = join(folder, 'below', 'keys.json')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a file is made once, only for its owner, and says which key is the active one', () => {
  const first = keys.ensure(file)
  expect(keys.ensure(file)).toEqual(first)
  expect(statSync(file).mode & 0o077).toBe(0)
  const waiting = keys.add(file, { isActive: false })
  expect(keys.read(file)).toMatchObject({ activeId: first.activeId })
  keys.use(file, waiting)
  const active = keys.add(file, { isActive: true })
  expect([...keys.read(file).byId.keys()]).toEqual([first.activeId, waiting, active])
  expect(keys.read(file).activeId).toBe(active)
  keys.removeOthers(file)
  expect([...keys.read(file).byId.keys()]).toEqual([active])
  expect(() => keys.use(file, waiting)).toThrow(`does not hold the key ${waiting}`)
})

test('a file that is missing, of another form or of another kind is refused, and no message repeats what it holds', () => {
  const [secret] = (JSON.parse(readFileSync(file, 'utf8')) as { keys: string[] }).keys
  expect(() => others.read(file)).toThrow(Failure)
  expect(() => keys.read(`${file}.none`)).toThrow(/ENOENT.*correct THE_SETTING/)
  for (const text of ['', '{}', `{"active":"x","keys":["${secret!}A"]}`, '{"active":"x","keys":[7]}']) {
    writeFileSync(`${file}.bad`, text)
    const read = (): unknown => keys.read(`${file}.bad`)
    expect(read).toThrow(Failure)
    expect(read).toThrow('is not a file of keys')
    expect(read).not.toThrow(secret)
  }
})
