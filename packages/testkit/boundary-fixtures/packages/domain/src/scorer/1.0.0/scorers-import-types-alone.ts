import { categories } from '@cupel/contracts'
export { categories }
