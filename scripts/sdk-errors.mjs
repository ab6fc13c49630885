// The names of the SDKs' error classes, equal in all languages.

/** Error classes by status. Other 4xx statuses have RequestError, 5xx statuses ServerError. */
const classByStatus = {
  400: 'BadRequestError',
  401: 'AuthenticationError',
  403: 'PermissionDeniedError',
  404: 'NotFoundError',
  409: 'ConflictError',
  422: 'UnprocessableError',
  429: 'RateLimitError',
}

/** @param {number} status */
export const classOfStatus = (status) =>
  classByStatus[status] ?? (status >= 500 ? 'ServerError' : 'RequestError')

/** @param {string} code */
export const classOfCode = (code) =>
  `${code.replace(/(?:^|_)([a-z])/g, (_, letter) => letter.toUpperCase())}Error`
