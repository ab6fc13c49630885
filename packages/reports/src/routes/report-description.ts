/** The report as the API description shows it. */
import { reportSchema } from '@cupel/contracts'

export const reportComponent = reportSchema.meta({ id: 'Report' })
