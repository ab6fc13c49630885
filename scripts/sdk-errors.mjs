// The names of the SDKs' error classes, equal in all languages.

/** Classes of a status; the other ones of 4xx are RequestError, those of 5xx ServerError. */
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
