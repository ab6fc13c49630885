/** The version of the product, as `cupel --version` prints it. */
export const VERSION = '0.2.0-dev'
