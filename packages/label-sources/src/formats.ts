/** Every label format by the name the operator gives it. */
import { csvFormat } from './csv.js'
import type { LabelFormat } from './label-source.js'

export const labelFormats: Readonly<Record<string, LabelFormat>> = { csv: csvFormat }
