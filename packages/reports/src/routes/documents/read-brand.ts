/** The name and the logo of the operator, from the settings. */
import { readFile } from 'node:fs/promises'
import { brandOf, BrandError, type Brand } from '../../pdf/index.js'
import { ConfigError, type Config } from '@cupel/kit/service'

/** Null without either setting. Throws ConfigError for a file that cannot be read or is not a plain image: no PDF silently lacks it. */
export async function readBrand({
  CUPEL_PDF_NAME: name = '',
  CUPEL_PDF_LOGO_FILE: file,
}: Pick<Config, 'CUPEL_PDF_NAME' | 'CUPEL_PDF_LOGO_FILE'>): Promise<Brand | null> {
  if (name === '' && file === undefined) return null
  try {
    return brandOf(name, file === undefined ? null : await readFile(file))
  } catch (cause) {
    if (cause instanceof BrandError)
      throw new ConfigError(`CUPEL_PDF_NAME or CUPEL_PDF_LOGO_FILE: ${cause.message}`, { cause })
    throw new ConfigError(`CUPEL_PDF_LOGO_FILE: ${file} cannot be read.`, { cause })
  }
}
