// The SQL migrations: the folders `sql` of a package and of its rooms.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Paths of all migrations.
 * @param {string} root the checkout
 * @returns {string[]}
 */
export const migrationFiles = (root) =>
  ['packages', 'services'].flatMap((group) =>
    readdirSync(join(root, group)).flatMap((name) =>
      ['sql', 'src'].flatMap((part) => {
        const folder = join(root, group, name, part)
        if (!existsSync(folder)) return []
        return readdirSync(folder, { recursive: true, encoding: 'utf8' })
          .filter((path) => /(^|\/)sql\/[^/]+\.sql$/.test(`${part}/${path}`))
          .map((path) => join(folder, path))
      }),
    ),
  )
