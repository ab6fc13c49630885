/** The release of the product, as in its package.json. */
export const RELEASE = '0.2.0-dev'
