import { expect, test } from 'vitest'
import { createContext } from './context.js'
import { withHistoryFolder } from './history-folder.js'

test('histories are kept in the home, unless the operator names another folder', async () => {
  const folderOf = async (more: Readonly<Record<string, string>>) => {
    const context = withHistoryFolder(createContext({ CUPEL_HOME: '/srv/cupel', ...more }, ['start']))
    // The settings with which the processes of the Kafka profile start are the same.
    expect(context.environment['CUPEL_HISTORY_FOLDER']).toBe((await context.config()).CUPEL_HISTORY_FOLDER)
    return context.environment['CUPEL_HISTORY_FOLDER']
  }
  expect(await folderOf({})).toBe('/srv/cupel/histories')
  expect(await folderOf({ CUPEL_HISTORY_FOLDER: '/mnt/histories' })).toBe('/mnt/histories')
})
