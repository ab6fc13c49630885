/** The style sheet and the script: built files under names that contain their hash, so that browsers may keep them. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'

export interface Asset {
  readonly path: string
  readonly contentType: string
  readonly body: Buffer
}

export interface Assets {
  readonly style: Asset
  readonly script: Asset
  readonly icon: Asset
}

const STYLES = new URL('../styles/', import.meta.url)
/** Also where the sources run: the build bundles only the browser's part into it. */
const SCRIPT = new URL('../../dist/client/console.js', import.meta.url)

/** Reads them once. Throws where the script was not built. */
export function loadAssets(): Assets {
  if (!existsSync(SCRIPT)) throw new Error('The script of the console is not built: run `npm run build`.')
  return {
    style: assetOf('console', 'css', 'text/css; charset=utf-8', stylesInOrder()),
    script: assetOf('console', 'js', 'text/javascript; charset=utf-8', readFileSync(SCRIPT)),
    icon: assetOf('icon', 'svg', 'image/svg+xml', readFileSync(new URL('icon.svg', STYLES))),
  }
}

/** By name, so that a later file overrides an earlier one. */
export function stylesInOrder(): Buffer {
  const names = readdirSync(STYLES).filter((name) => name.endsWith('.css'))
  return Buffer.concat(names.sort().map((name) => readFileSync(new URL(name, STYLES))))
}

function assetOf(name: string, extension: string, contentType: string, body: Buffer): Asset {
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 12)
  return { path: `/assets/${name}.${hash}.${extension}`, contentType, body }
}
